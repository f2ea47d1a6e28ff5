/** A scenario that this server does not pass, and why it does not have to. Whatever else fails, fails the run. */
interface ExpectedFailure {
  scenario: string;
  reason: string;
}

export interface Suite {
  /** The protocol revisions that it judges. */
  name: string;
  /** As installed under node_modules. */
  package: string;
  arguments: readonly string[];
  /** Whether the suite itself is told what may fail. A frozen set of requirements allows nothing to. */
  takesBaseline: boolean;
  expectedFailures: readonly ExpectedFailure[];
}

const NO_SERVER_REQUESTS =
  "The server keeps no session and opens no stream of its own, so it never sends requests to the client; it does not use this capability.";
const NO_LOGGING = "Logging needs a level kept between requests; the server keeps no session and does not claim it.";
const NO_SUBSCRIPTIONS =
  "Subscriptions live in a session; the server keeps none and does not claim them. Resources change with a release only.";
const WARNS_WITHOUT_SESSION =
  "Only warns, and fails nothing: it judges the streams of a session, which is optional in this revision.";
const TASKS = "The tasks extension is optional and not claimed: every call answers at once.";

export const suites: readonly Suite[] = [
  {
    name: "2025-11-25",
    package: "@modelcontextprotocol/conformance",
    // `all`: the active scenarios, and those that the suite itself still holds back.
    arguments: ["--suite", "all"],
    takesBaseline: true,
    expectedFailures: [
      { scenario: "logging-set-level", reason: NO_LOGGING },
      { scenario: "tools-call-with-logging", reason: NO_LOGGING },
      { scenario: "tools-call-sampling", reason: NO_SERVER_REQUESTS },
      { scenario: "tools-call-elicitation", reason: NO_SERVER_REQUESTS },
      { scenario: "elicitation-sep1034-defaults", reason: NO_SERVER_REQUESTS },
      { scenario: "elicitation-sep1330-enums", reason: NO_SERVER_REQUESTS },
      { scenario: "resources-subscribe", reason: NO_SUBSCRIPTIONS },
      { scenario: "resources-unsubscribe", reason: NO_SUBSCRIPTIONS },
      { scenario: "server-sse-polling", reason: WARNS_WITHOUT_SESSION },
      { scenario: "server-sse-multiple-streams", reason: WARNS_WITHOUT_SESSION },
    ],
  },
  {
    name: "2026-07-28",
    package: "conformance-2026",
    arguments: ["--requirements", "2026-07-28"],
    takesBaseline: false,
    expectedFailures: [
      "tasks-lifecycle",
      "tasks-capability-negotiation",
      "tasks-wire-fields",
      "tasks-request-state-removal",
      "tasks-mrtr-input",
      "tasks-request-headers",
      "tasks-dispatch-and-envelope",
      "tasks-required-task-error",
      "tasks-mrtr-composition",
    ].map((scenario) => ({ scenario, reason: TASKS })),
  },
];
