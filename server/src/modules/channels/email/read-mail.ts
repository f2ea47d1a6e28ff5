import type { ParsedMail } from "../../../ports/mail-in.ts";
import { readNewText } from "./new-text.ts";
import { readVisibleHtml } from "./visible-html.ts";

/** Characters that nobody sees. Line breaks and tabs are control characters, too, and stay. */
const UNSEEN =
  /(?![\n\t])[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** The words of a mail that its writer added and its reader sees: where there is HTML, the plain text beside it is not shown. */
export function readWords({ text, html }: Pick<ParsedMail, "text" | "html">): string {
  const shown = html !== undefined && html.trim() !== "" ? readVisibleHtml(html) : (text ?? "");
  return readNewText(shown)
    .replaceAll(UNSEEN, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** Why a mail must not be answered: programs that answer each other never stop. Undefined: a person may have written it. */
export function findRobot({ header }: Pick<ParsedMail, "header">, envelopeFrom: string): string | undefined {
  const submitted = header("auto-submitted")?.split(";")[0]?.trim().toLowerCase();
  if (submitted !== undefined && submitted !== "no") return `Auto-Submitted: ${submitted.slice(0, 40)}`;
  const precedence = header("precedence")?.trim().toLowerCase() ?? "";
  if (["bulk", "junk", "list", "auto_reply"].includes(precedence)) return `Precedence: ${precedence}`;
  for (const name of ["list-id", "list-unsubscribe", "x-autoreply", "x-autorespond", "x-loop", "feedback-id"]) {
    if (header(name) !== undefined) return name;
  }
  return envelopeFrom === "" ? "an empty return path" : undefined;
}
