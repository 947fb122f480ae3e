/** The frames of the page: how long the longest took. */
export class Frames {
  private last = performance.now();
  private longest_ms = 0;
  private count = 0;
  private running = true;

  constructor() {
    requestAnimationFrame((now) => this.frame(now));
  }

  end(): { longest_ms: number; frames: number } {
    this.running = false;
    return { longest_ms: this.longest_ms, frames: this.count };
  }

  private frame(now: number): void {
    if (this.count > 0) this.longest_ms = Math.max(this.longest_ms, now - this.last);
    this.last = now;
    this.count += 1;
    if (this.running) requestAnimationFrame((next) => this.frame(next));
  }
}
