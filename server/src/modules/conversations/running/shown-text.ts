import type { TurnJournal } from "./turn-journal.ts";

const BREAK = "\n\n";

/**
 * Shows the text of one step of the model, apart from what was said before. If an attempt that died has shown its beginning
 * already, an equal beginning is not shown again.
 */
export class ShownText {
  readonly #journal: TurnJournal;
  /** The beginning of this step that an earlier attempt has shown. */
  readonly #shown: string;
  readonly #isFirst: boolean;
  #held = "";
  #isThrough: boolean;

  /** `stored`: the texts of the steps that are over. */
  constructor(journal: TurnJournal, stored: readonly string[]) {
    this.#journal = journal;
    const before = stored.filter((text) => text !== "").join(BREAK);
    const rest = journal.reply.startsWith(before) ? journal.reply.slice(before.length) : "";
    this.#isFirst = before === "";
    this.#shown = rest.startsWith(BREAK) && !this.#isFirst ? rest.slice(BREAK.length) : rest;
    this.#isThrough = false;
  }

  get hasShown(): boolean {
    return this.#isThrough || this.#shown !== "";
  }

  add(text: string): void {
    if (this.#isThrough) {
      this.#journal.text(text);
      return;
    }
    this.#held += text;
    if (this.#held.length >= this.#shown.length) this.#release();
  }

  end(): void {
    if (!this.#isThrough && this.#held !== "") this.#release();
  }

  #release(): void {
    this.#isThrough = true;
    const held = this.#held;
    if (this.#shown === "") this.#journal.text(this.#isFirst ? held : BREAK + held);
    else if (held.startsWith(this.#shown)) this.#journal.text(held.slice(this.#shown.length));
    else this.#journal.text(BREAK + held);
  }
}

/** A text of ours after what the model said. */
export function showOwnText(journal: TurnJournal, text: string): void {
  journal.text(journal.reply === "" ? text : BREAK + text);
}
