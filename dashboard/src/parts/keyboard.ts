import { useEffect } from "react";

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable], [role=dialog]") !== null;

/** J and K move through the rows of the page: each has a link or a button marked `data-row`. No key spends or cancels. */
export function useRowKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
      const at = rows.indexOf(document.activeElement as HTMLElement);
      const next = rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))];
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
