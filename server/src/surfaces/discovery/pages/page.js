// Adds a copy button to each block and a search over all pages, and opens the list of sections where there is room beside the text.
// Pages are complete without this script.

function addCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(block);
      button.textContent = "Selected";
    }
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  const frame = document.createElement("div");
  frame.className = "copyable";
  block.replaceWith(frame);
  frame.append(block, button);
}

/** The pages that have every word; those that have it in their title first. */
function find(pages, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const weigh = ({ title, summary, words: text }) =>
    words.reduce((sum, word) => {
      const weight =
        (title.toLowerCase().includes(word) ? 10 : 0) +
        (summary.toLowerCase().includes(word) ? 3 : 0) +
        (text.includes(word) ? 1 : 0);
      return weight === 0 ? Number.NEGATIVE_INFINITY : sum + weight;
    }, 0);
  if (words.length === 0) return [];
  return pages
    .map((page) => ({ page, weight: weigh(page) }))
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, 8)
    .map(({ page }) => page);
}

function show(list, pages, query) {
  const items = find(pages, query).map(({ path, title, summary }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = path;
    const name = document.createElement("strong");
    name.textContent = title;
    link.append(name, ` ${summary}`);
    item.append(link);
    return item;
  });
  if (items.length === 0 && query.trim() !== "") {
    const item = document.createElement("li");
    item.textContent = "No page has all of these words.";
    items.push(item);
  }
  list.replaceChildren(...items);
  list.hidden = items.length === 0;
}

function startSearch(form) {
  const field = form.querySelector("input");
  const list = form.querySelector("ul");
  let pages;
  field.addEventListener("input", async () => {
    pages ??= fetch("/docs/search.json").then((answer) => answer.json());
    show(list, await pages, field.value);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      field.value = "";
      list.hidden = true;
      field.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const stops = [field, ...list.querySelectorAll("a")];
    stops[stops.indexOf(document.activeElement) + step]?.focus();
  });
  document.addEventListener("keydown", (event) => {
    const isWriting = event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
    if (event.key !== "/" || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
  form.hidden = false;
}

const contents = document.querySelector("details.contents");
if (contents !== null) contents.open = matchMedia("(min-width: 80rem)").matches;
for (const block of document.querySelectorAll("pre")) addCopyButton(block);
const form = document.querySelector("form.search");
if (form !== null) startSearch(form);
