import type { Routes } from "../http/hosts.ts";
import { linkPage } from "../links/link-page.ts";

/** The page of approval links: the same for every approval. */
export function approvePageRoutes(approvePath: string): Routes {
  const page = linkPage({
    folder: import.meta.dirname,
    styles: ["approve.css"],
    scripts: ["approve.js"],
    title: "Approval",
    className: "approve",
    body: BODY,
  });
  return [{ method: "GET", path: `${approvePath}/:approvalId/:personId`, webHandler: page }];
}

const BODY = `<p id="trial" class="trial" hidden>This is a trial: nothing real is bought, and no real money moves.</p>
<dl id="facts" hidden></dl>
<section id="why" hidden><h2>Why your decision is needed</h2><ul id="violations"></ul></section>
<section id="instead" hidden><h2>Within the policy</h2><ul id="alternatives"></ul></section>
<form id="form" novalidate hidden>
<label for="reason">Reason <span class="hint">(needed to reject)</span></label>
<textarea id="reason" rows="3" maxlength="1000" aria-describedby="reason-error"></textarea>
<p class="error" id="reason-error" hidden></p>
<div class="buttons"><button type="button" id="approve">Approve</button><button type="button" id="reject" class="plain">Reject</button></div>
</form>`;
