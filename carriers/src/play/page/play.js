import { drawWhatsApp } from "/whatsapp.js";

const secret = new URLSearchParams(location.search).get("play") ?? "";
const base = `/_carriers/play/${encodeURIComponent(secret)}`;
const main = document.querySelector("main");
const nav = document.querySelector("nav");
const problem = document.querySelector("#problem");
const panels = new Map();
let chosen;

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export async function post(path, body) {
  const answer = await fetch(`${base}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  problem.textContent = answer.ok ? "" : `That did not work: ${(await answer.json()).error}`;
  return answer.ok;
}

/** A panel is one place as one person, or several, see it. It is made once, so that what is being typed stays. */
export function openPanel({ id, title, note, writers, send }) {
  const known = panels.get(id);
  if (known) return known;
  const list = make("ol", { "aria-live": "polite", "aria-label": `Messages: ${title}` });
  const input = make("input", { "aria-label": `Write in ${title}`, placeholder: "Write…", autocomplete: "off" });
  const options = writers.map((one) => make("option", { value: one.id }, one.name));
  const who = make("select", { "aria-label": "As whom", hidden: writers.length < 2 }, ...options);
  const write = async (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text !== "" && (await send(who.value, text))) input.value = "";
  };
  const form = make("form", { onsubmit: write }, who, input, make("button", { class: "primary" }, "Send"));
  const section = make("section", {}, make("h2", {}, title, make("span", {}, note)), list, form);
  const tab = make("button", { type: "button", onclick: () => look(id) }, title);
  nav.append(tab);
  main.append(section);
  const panel = { section, list, tab, who, drawn: "" };
  panels.set(id, panel);
  if (chosen === undefined) choose(id);
  else choose(chosen);
  return panel;
}

function look(id) {
  choose(id);
  void refresh();
}

function choose(id) {
  chosen = id;
  for (const [key, { section, tab }] of panels) {
    section.hidden = key !== id;
    tab.setAttribute("aria-pressed", String(key === id));
  }
}

export function draw(panel, messages, press) {
  const text = JSON.stringify(messages);
  if (panel.drawn === text) return;
  panel.drawn = text;
  const items = messages.map(({ who, own, text: said, buttons, hint, files = [] }) =>
    make(
      "li",
      { class: own ? "own" : "" },
      make("small", {}, who),
      ...linkUp(said),
      ...files.map(({ id, name }) =>
        make("a", { class: "file", href: `${base}/files/${id}`, target: "_blank", rel: "noopener noreferrer" }, name),
      ),
      ...(hint === "" ? [] : [make("small", {}, hint)]),
      ...(buttons.length === 0
        ? []
        : [
            make(
              "div",
              { class: "buttons" },
              ...buttons.map((button) =>
                make("button", { type: "button", class: button.looks, onclick: () => press(button) }, button.label),
              ),
            ),
          ]),
    ),
  );
  panel.list.replaceChildren(
    ...(items.length === 0 ? [make("li", { class: "empty" }, "Nothing has been written here yet.")] : items),
  );
  panel.list.scrollTop = panel.list.scrollHeight;
}

/** Addresses as links, which open beside this page. */
export function linkUp(text) {
  return text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((part, index) =>
      index % 2 === 0 ? part : make("a", { href: part, target: "_blank", rel: "noopener noreferrer" }, part),
    );
}

const listeners = [];
/** Called with the whole state, now and whenever it changes. */
export function onState(listener) {
  listeners.push(listener);
  if (secret !== "") void refresh();
}

function drawSlack({ members, conversations, isRevoked }) {
  const names = new Map(members.map(({ id, name }) => [id, name]));
  for (const { id, name, memberId, messages } of conversations) {
    const writers = memberId === null ? members : members.filter((one) => one.id === memberId);
    const title = memberId === null ? name : (names.get(memberId) ?? memberId);
    const panel = openPanel({
      id: `slack ${id}`,
      title,
      note: isRevoked ? "Slack, removed" : memberId === null ? "Slack channel" : "Slack, direct message",
      writers,
      send: (userId, text) => post("slack/messages", { userId, channel: id, text }),
    });
    const shown = messages
      .filter(({ onlyFor }) => onlyFor === null || memberId !== null || onlyFor === panel.who.value)
      .map(({ ts, userId, text, buttons, isEdited, onlyFor, files }) => ({
        files,
        who: userId === null ? "Wayfare" : (names.get(userId) ?? userId),
        own: userId !== null,
        text: readSlackText(text),
        hint: onlyFor === null ? (isEdited ? "edited" : "") : `only ${names.get(onlyFor) ?? onlyFor} sees this`,
        buttons: buttons.map((button) => ({ ...button, ts })),
      }));
    draw(panel, shown, ({ ts, value }) => post("slack/presses", { userId: panel.who.value, channel: id, ts, value }));
    panel.who.onchange = () => void refresh();
  }
}

function readSlackText(text) {
  const shown = text.replaceAll(/<(https?:[^<>|]+)>/g, "$1");
  return shown.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").replaceAll("\u2060", "");
}

async function refresh() {
  const answer = await fetch(`${base}/state`).catch(() => undefined);
  if (answer === undefined) {
    problem.textContent = "The simulator does not answer. It starts again together with the service.";
    return;
  }
  const state = await answer.json();
  problem.textContent = answer.ok ? "" : state.error;
  if (state.slack) drawSlack(state.slack);
  if (state.whatsapp) drawWhatsApp(state.whatsapp, { openPanel, draw, post });
  for (const listener of listeners) listener(state);
}

if (secret === "") {
  problem.textContent = "Open the address that the service gave you: playUrl of GET /api/channels/{channelId}.";
} else {
  const changes = new EventSource(`${base}/changes`);
  changes.addEventListener("message", () => void refresh());
  document.addEventListener("visibilitychange", () => void refresh());
  changes.addEventListener("error", () => void refresh());
}
