import { z } from "zod";
import { type Faults, Scenario } from "./faults.ts";
import { type Answer, json, type Question, readBearer, refuse } from "./http/answer.ts";
import { createMailPlace, EmailSetup } from "./mail/mailbox.ts";
import { answerDns } from "./mail/sign-mail.ts";
import type { Playgrounds } from "./play/playground.ts";
import type { EventSender } from "./send-events.ts";
import { uninstall } from "./slack/events.ts";
import { createWorkspace, SlackSetup } from "./slack/workspace.ts";
import { createAccount, WhatsAppSetup } from "./whatsapp/account.ts";

const Setup = z.strictObject({
  secret: z.string().min(20),
  slack: SlackSetup.exactOptional(),
  whatsapp: WhatsAppSetup.exactOptional(),
  email: EmailSetup.exactOptional(),
});

interface ControlParts {
  controlToken: string;
  playgrounds: Playgrounds;
  faults: Faults;
  sender: EventSender;
  /** Where mail is taken by SMTP. */
  smtpPort: number;
}

/** Routes for the product and for tests, which know the token. Undefined: not one of them. */
export function answerControl(parts: ControlParts, question: Question): Answer | undefined {
  if (!question.path.startsWith("/_carriers/control/")) return undefined;
  if (readBearer(question) !== parts.controlToken) return refuse(401, "the control token is missing or wrong");
  const [, what = "", id = "", action] =
    /^\/_carriers\/control\/(\w+)(?:\/([\w-]+))?(?:\/(\w+))?$/.exec(question.path) ?? [];
  if (what === "faults") return controlFaults(parts.faults, question);
  if (what === "mail") return json({ smtpPort: parts.smtpPort });
  if (what === "dns") {
    return json({ records: answerDns(question.query.get("name") ?? "", question.query.get("type") ?? "") });
  }
  if (what === "playgrounds" && question.method === "PUT" && id !== "") return setUp(parts, id, question.body);
  const playground = parts.playgrounds.find(id);
  if (playground === undefined) return undefined;
  if (action === "uninstall") return json({ done: uninstall(parts.sender, playground) });
  return undefined;
}

/** Setting up the same again changes nothing that people have written there. */
function setUp({ playgrounds }: ControlParts, id: string, body: unknown): Answer {
  const setup = Setup.safeParse(body);
  if (!setup.success) return refuse(400, z.prettifyError(setup.error));
  const { secret, slack, whatsapp, email } = setup.data;
  const playground = playgrounds.open(id, secret);
  if (slack !== undefined) {
    playground.slack ??= createWorkspace(slack);
    playground.slack.setup = slack;
    playground.slack.isRevoked = false;
  }
  if (whatsapp !== undefined) {
    playground.whatsapp ??= createAccount(whatsapp);
    playground.whatsapp.setup = whatsapp;
  }
  if (email !== undefined) {
    playground.email ??= createMailPlace(email);
    playground.email.setup = email;
  }
  playground.changed();
  return json({ ok: true });
}

function controlFaults(faults: Faults, { method, query, body }: Question): Answer {
  if (method === "DELETE") faults.clear(query.get("playground") ?? undefined);
  if (method !== "POST") return json({ scenarios: faults.list() });
  const scenario = Scenario.safeParse(body);
  if (!scenario.success) return refuse(400, z.prettifyError(scenario.error));
  faults.arm(scenario.data);
  return json({ scenarios: faults.list() }, 201);
}
