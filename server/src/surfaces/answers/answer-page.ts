import type { Routes } from "../http/hosts.ts";
import { linkPage } from "../links/link-page.ts";

/** The page on which a person answers a question that came by mail: the same for every question. */
export function answerPageRoutes(answerPath: string): Routes {
  const page = linkPage({
    folder: import.meta.dirname,
    styles: [],
    scripts: ["answer.js"],
    title: "Your answer",
    className: "answer",
    body: BODY,
  });
  return [{ method: "GET", path: answerPath, webHandler: page }];
}

const BODY = `<pre id="question" style="white-space:pre-wrap;font:inherit" hidden></pre>
<form id="form" novalidate hidden><div class="buttons"><button type="button" id="answer"></button></div></form>`;
