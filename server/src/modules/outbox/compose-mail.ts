import { escapeHtml } from "../../domain/escape-html.ts";
import type { Letter } from "./carriers/carrier.ts";

/** A paragraph of a mail: our plain words, or text that somebody else wrote. */
export type MailPart =
  | { kind: "words"; text: string }
  | { kind: "quoted"; text: string }
  | { kind: "link"; text: string; label: string };

export const words = (text: string): MailPart => ({ kind: "words", text });

interface ComposedMail {
  to: Letter["to"];
  subject: string;
  /** The language code of the text. */
  language: string;
  parts: readonly MailPart[];
}

export function composeMail(mail: ComposedMail): Letter {
  const { to, subject, parts } = mail;
  return { to, subject, text: `${parts.map(plain).join("\n\n")}\n`, html: renderHtml(mail) };
}

function plain({ kind, text }: MailPart): string {
  return kind === "quoted" ? text.replaceAll(/^/gm, "> ") : text;
}

/** Sets no colors except the accent, so that the mail follows the reader's light or dark mode. */
function renderHtml({ subject, language, parts }: ComposedMail): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:24px;font:16px/1.6 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif">
<div style="max-width:560px;margin:0 auto;overflow-wrap:anywhere">
${parts.map(html).join("\n")}
</div>
</body>
</html>
`;
}

function html(part: MailPart): string {
  const { kind } = part;
  const safe = escapeHtml(part.text);
  if (kind === "words") return `<p style="white-space:pre-line">${safe}</p>`;
  if (kind === "quoted") {
    return `<blockquote style="margin:16px 0;padding:0 16px;border-left:3px solid #0b8577;white-space:pre-line">${safe}</blockquote>`;
  }
  return `<p><a href="${safe}" style="display:inline-block;padding:10px 22px;border-radius:6px;background:#0b6b61;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(part.label)}</a></p>
<p style="font-size:13px">${safe}</p>`;
}
