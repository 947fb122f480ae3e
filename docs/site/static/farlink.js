// What scrolls can be focused, so that arrow keys scroll it. Code and tables that fit are not stops of the Tab key.
function setTabStops() {
  for (const box of document.querySelectorAll(".bd-article pre, .pst-scrollable-table-container")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

addEventListener("load", setTabStops);
addEventListener("resize", setTabStops);
