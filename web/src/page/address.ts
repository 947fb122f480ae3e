/** The link in the address of the page. */

let own = "";

/** Puts a link into the address whose experiment the form has: it was made from the form, or opened into it. */
export function adopt(fragment: string): void {
  own = fragment;
  history.replaceState({ isOwn: true }, "", `#${fragment}`);
}

/** Whether Back or Forward led to a link that the form has already: opening it again would undo what was edited since. */
export function isAdopted(fragment: string): boolean {
  return fragment === own && (history.state as { isOwn?: boolean } | null)?.isOwn === true;
}
