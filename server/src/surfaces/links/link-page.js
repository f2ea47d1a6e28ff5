// Shared by the pages behind signed links: the link's secret, visibility, and requests to the service.
const REQUEST_TIMEOUT = 30_000;

export const find = (id) => document.getElementById(id);
export const show = (element, isShown) => {
  element.hidden = !isShown;
};

/** Out of the address bar and the history at once; kept for this tab, as phones forget pages while another program is open. */
export function takeSecret(kept) {
  const given = location.hash.slice(1);
  if (given !== "") history.replaceState(null, "", location.pathname);
  try {
    if (given !== "") sessionStorage.setItem(kept, given);
    return sessionStorage.getItem(kept) ?? given;
  } catch {
    return given;
  }
}

export function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

export function fact([name, value, isMono = false]) {
  const row = document.createElement("div");
  row.append(element("dt", name), element("dd", value, isMono ? "mono" : ""));
  return row;
}

/** Under the field, to which it gives the focus; without a text the complaint goes away. */
export function complain(input, text) {
  const line = find(`${input.id}-error`);
  line.textContent = text;
  show(line, text !== "");
  input.setAttribute("aria-invalid", String(text !== ""));
  if (text !== "") input.focus();
}

/** The answer, or the problem that stands in its place; without a connection a problem too. */
export async function ask(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(REQUEST_TIMEOUT),
    });
    const value = await response.json();
    if (response.ok) return { value };
    return { problem: { ...value, pause: Number(response.headers.get("retry-after") ?? 0) * 1_000 } };
  } catch {
    return { problem: { code: "no_connection", detail: "There is no connection.", retryable: true, pause: 0 } };
  }
}
