import { readFileSync } from "node:fs";
import type { Answer, Question } from "../http/answer.ts";

const read = (name: string): string => readFileSync(new URL(`./page/${name}`, import.meta.url), "utf8");
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const files: Readonly<Record<string, { name: string; type: string }>> = {
  "/": { name: "play.html", type: "text/html; charset=utf-8" },
  "/play.css": { name: "play.css", type: "text/css; charset=utf-8" },
  "/whatsapp.js": { name: "whatsapp.js", type: "text/javascript; charset=utf-8" },
  "/mail.js": { name: "mail.js", type: "text/javascript; charset=utf-8" },
  "/play.js": { name: "play.js", type: "text/javascript; charset=utf-8" },
};

/** The page on which a person plays everybody. Undefined: none of its files. */
export function answerPage({ method, path }: Question): Answer | undefined {
  const file = method === "GET" ? files[path] : undefined;
  if (file === undefined) return undefined;
  const headers = { "content-type": file.type, "content-security-policy": POLICY, "referrer-policy": "no-referrer" };
  return { status: 200, body: read(file.name), headers };
}
