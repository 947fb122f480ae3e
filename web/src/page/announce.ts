/** What screen readers are given besides the page: progress politely, faults at once. */

import { byId } from "./dom.js";

export function announce(text: string): void {
  byId("status").textContent = text;
}

export function announceFault(text: string): void {
  byId("alert").textContent = text;
}
