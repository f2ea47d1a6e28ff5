import type { Routes } from "../http/hosts.ts";
import { linkPage } from "../links/link-page.ts";

/** The page of guest links: the same for every trip. */
export function claimPageRoutes(claimPath: string): Routes {
  const page = linkPage({
    folder: import.meta.dirname,
    styles: ["claim.css"],
    scripts: ["checksum.js", "traveler.js", "claim.js"],
    title: "Accept a trip",
    className: "claim",
    body: BODY,
  });
  return [{ method: "GET", path: `${claimPath}/:tripId`, webHandler: page }];
}

const field = (
  name: string,
  label: string,
  control: string,
  hint = "",
) => `<div class="field" id="traveler-${name}-field">
<label for="traveler-${name}">${label}</label>
${control.replace(" ", ` id="traveler-${name}" name="${name}" required aria-describedby="${hint === "" ? "" : `traveler-${name}-hint `}traveler-${name}-error" `)}
${hint === "" ? "" : `<p class="hint" id="traveler-${name}-hint">${hint}</p>`}
<p class="error" id="traveler-${name}-error" hidden></p>
</div>`;

const choice = (options: Readonly<Record<string, string>>) =>
  `<select ><option value="">Choose</option>${Object.entries(options)
    .map(([value, label]) => `<option value="${value}">${label}</option>`)
    .join("")}</select>`;

const TRAVELER = `<form id="traveler" novalidate hidden aria-labelledby="who-travels">
<h2 id="who-travels">Who is traveling</h2>
<p class="hint" id="traveler-once"></p>
${field("givenName", "Given names", '<input type="text" autocomplete="given-name" maxlength="200">')}
${field("familyName", "Family name", '<input type="text" autocomplete="family-name" maxlength="200">')}
${field("bornOn", "Date of birth", '<input type="date" autocomplete="bday" min="1900-01-01">')}
${field("title", "Title", choice({ mr: "Mr", ms: "Ms", mrs: "Mrs", miss: "Miss", dr: "Dr" }))}
${field("gender", "Gender, as in the passport", choice({ f: "Female", m: "Male" }))}
${field("email", "Email address", '<input type="email" autocomplete="email" autocapitalize="none" maxlength="254">')}
${field("phoneNumber", "Phone number", '<input type="tel" autocomplete="tel" maxlength="40">', "With the country code, such as +44 20 8016 0508")}
${field("code", "Your code again", '<input type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="11">', "The six-digit code with which you accepted the trip")}
<button id="traveler-save" type="submit">Save</button>
</form>`;

const BODY = `<p id="trial" class="trial" hidden>This is a trial with test money that has no value.</p>
<dl id="facts" hidden></dl>
<div id="summary" hidden>
<h2 id="summary-title"></h2>
<blockquote id="summary-text" aria-labelledby="summary-title"></blockquote>
</div>
<form id="form" novalidate hidden>
<div class="field">
<label for="wallet">Address of your wallet</label>
<div class="beside">
<input id="wallet" name="wallet" type="text" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false" placeholder="0x…" maxlength="400" required aria-describedby="wallet-hint wallet-ends wallet-error">
<button id="paste" type="button" class="plain" hidden>Paste</button>
</div>
<p class="hint" id="wallet-hint">0x followed by 40 digits and letters. Only the address is needed: never enter your private key or your recovery phrase.</p>
<p class="hint" id="wallet-ends"></p>
<p class="error" id="wallet-error" hidden></p>
</div>
<div class="field" id="code-field" hidden>
<label for="code">Six-digit code</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="11" required aria-describedby="code-hint code-error">
<p class="hint" id="code-hint"></p>
<p class="error" id="code-error" hidden></p>
</div>
<button id="accept" type="submit">Accept the trip</button>
</form>
${TRAVELER}`;
