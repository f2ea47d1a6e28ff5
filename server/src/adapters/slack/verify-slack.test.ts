import { expect, test } from "vitest";
import { isSignedBySlack } from "./verify-slack.ts";

/** The example in https://docs.slack.dev/authentication/verifying-requests-from-slack */
const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const TIMESTAMP = 1_531_420_618;
const BODY =
  "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
const SIGNATURE = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";

function judge({ body = BODY, signature = SIGNATURE, now = TIMESTAMP, secret = SECRET } = {}): boolean {
  const headers: Readonly<Record<string, string>> = {
    "x-slack-request-timestamp": String(TIMESTAMP),
    "x-slack-signature": signature,
  };
  return isSignedBySlack({ text: body, header: (name) => headers[name] }, secret, now);
}

test("Slack's own example is signed", () => {
  expect(judge()).toBe(true);
  expect(judge({ now: TIMESTAMP + 300 })).toBe(true);
});

test("an altered body, another signature or secret, and a time beyond five minutes are refused", () => {
  expect(judge({ body: BODY.replace("roadrunner", "coyote") })).toBe(false);
  expect(judge({ signature: `v0=${"0".repeat(64)}` })).toBe(false);
  expect(judge({ signature: SIGNATURE.slice(3) })).toBe(false);
  expect(judge({ secret: "another" })).toBe(false);
  expect(judge({ now: TIMESTAMP + 301 })).toBe(false);
  expect(judge({ now: TIMESTAMP - 301 })).toBe(false);
});
