/** Systems of others in which people write to the service: Slack, WhatsApp and mail. */

export type ChatKind = "slack" | "whatsapp" | "email";

/** The proof and the place of one installation. */
export interface ChatAccess {
  /** Without a slash at the end. */
  readonly apiUrl: string;
  readonly token: string;
  /** The account that sends: a phone number's id on WhatsApp, unused on Slack. */
  readonly accountId: string;
}

/** `value` is opaque: it says nothing by itself, and comes back as it is when somebody presses the button. */
interface ChatButton {
  readonly value: string;
  readonly label: string;
  readonly looks: "primary" | "danger" | "plain";
}

export interface ChatMessage {
  /** Complete by itself, for readers who see no buttons. Plain text: nothing in it is markup. */
  readonly text: string;
  readonly buttons: readonly ChatButton[];
  /** An address of ours in the text, which may be opened. Others in it were written by others. */
  readonly link?: string | undefined;
}

/** A file that goes with a message. */
export interface ChatDocument {
  readonly fileName: string;
  readonly contentType: string;
  readonly content: Uint8Array;
  /** Where it can be read instead. */
  readonly url: string;
}

/** A message on its way. `ref` is our own id for it, which the system gives back where it can. */
export interface ChatSending {
  readonly to: string;
  readonly ref: string;
  /** The event, turn or approval of ours that it is about, where messages are shown below others. */
  readonly about?: string | undefined;
  readonly message: ChatMessage;
  /** Set: the message is its caption. */
  readonly document?: ChatDocument | undefined;
  /** Set: only the template of this name may be sent now. */
  readonly template?: ChatTemplate | undefined;
}

/** A message that was agreed with the chat system beforehand, with one gap. */
export interface ChatTemplate {
  readonly name: string;
  readonly language: string;
  /** Fills the gap. */
  readonly parameter: string;
  /** `buttons`: it has the message's buttons; `code`: it brings a one-time code, which can be copied. */
  readonly shape: "text" | "buttons" | "code";
}

interface EventBase {
  /** Unique in its installation: the same event has it however often it comes. */
  readonly id: string;
  /** When it happened, where the chat system tells it: some events arrive late. */
  readonly atSeconds?: number | undefined;
}

/** Something that a chat system tells, as we store it. */
export type ChatEvent =
  | (EventBase & {
      readonly type: "message";
      readonly from: string;
      /** Where an answer goes. */
      readonly address: string;
      readonly text: string;
      /** Some people have one beside their id, and some hide it. */
      readonly phone?: string | undefined;
      /** False: others read along. */
      readonly isDirect: boolean;
      readonly media?: { readonly id: string; readonly contentType: string; readonly fileName: string } | undefined;
    })
  | (EventBase & {
      readonly type: "press";
      readonly from: string;
      readonly address: string;
      readonly value: string;
      readonly phone?: string | undefined;
    })
  | (EventBase & {
      readonly type: "status";
      readonly messageId: string;
      readonly ref?: string | undefined;
      readonly status: "sent" | "delivered" | "read" | "failed";
      /** Only after a failure: a template may be sent to this person now. */
      readonly isWindowClosed: boolean;
      readonly problem?: string | undefined;
    })
  | (EventBase & { readonly type: "uninstalled" })
  | (EventBase & {
      readonly type: "renamed";
      readonly from: string;
      readonly to: string;
      readonly phone?: string | undefined;
    });

/** A request as it came, with the exact text that its signature covers. */
export interface ChatRequest {
  readonly text: string;
  header(name: string): string | undefined;
}

interface ChatInstallation {
  readonly token: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly botUserId: string;
}

/**
 * Why a request to a chat system had no success:
 * - `not_done`: it had no effect; try again later
 * - `unsure`: it may have had its effect
 * - `refused`: it never will, as it stands
 * - `window_closed`: only a template may be sent to this person now
 * - `revoked`: the installation has ended
 */
export type ChatProblem = "not_done" | "unsure" | "refused" | "window_closed" | "revoked";

export class ChatFailure extends Error {
  readonly problem: ChatProblem;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    problem: ChatProblem,
    says: string,
    details: { retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    super(says, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "ChatFailure";
    this.problem = problem;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** Brings messages to where people read. Each method throws only `ChatFailure`. */
export interface ChatSender {
  /** For so long after a person's last message anything may be sent; then only a template. Undefined: always. */
  readonly windowHours: number | undefined;
  /** Sends once, without retries. Returns the system's id of the message. */
  send(access: ChatAccess, sending: ChatSending): Promise<string>;
  /**
   * Sends a message with its document once. Whatever is seen of it then has the id that `noteUpload` is told first, where the
   * system tells one. Undefined: it takes no documents.
   */
  readonly sendDocument:
    | ((
        access: ChatAccess,
        sending: ChatSending & { readonly document: ChatDocument },
        noteUpload: (uploadId: string) => Promise<void>,
      ) => Promise<string>)
    | undefined;
  /** Shows another message in place of one that was sent. Undefined: the system cannot. */
  readonly edit: ((access: ChatAccess, sending: ChatSending, messageId: string) => Promise<void>) | undefined;
  /** The id of the message with this `ref` or upload, if it was sent since then. Undefined: the system cannot be asked. */
  readonly find:
    | ((
        access: ChatAccess,
        sending: Pick<ChatSending, "to" | "ref"> & { readonly uploadId?: string | undefined },
        since: Temporal.Instant,
      ) => Promise<string | undefined>)
    | undefined;
  /** Tells one person something that others in the same place do not see, once and without a promise. */
  whisper(access: ChatAccess, to: { address: string; person: string }, text: string): Promise<void>;
}

/** One chat system. */
export interface ChatSystem extends ChatSender {
  /** Where its API is, unless it is simulated. */
  readonly apiUrl: string;
  /** Whether the request is signed with the secret, and, where the signature has a time, was signed within the last minutes. */
  isSigned(request: ChatRequest, secret: string, nowSeconds: number): boolean;
  /** The events of a request for this account; those that we have no use for are left out. */
  readEvents(text: string, accountId: string): readonly ChatEvent[];
  /** A document or a picture that somebody sent. Undefined: the system has none. */
  readonly fetchMedia: ((access: ChatAccess, mediaId: string, mostBytes: number) => Promise<Buffer>) | undefined;
}

/** Slack has more than the others. */
export interface SlackSystem extends ChatSystem {
  /** The workspace that a request names, and its organisation: the first one that we know is meant. */
  readAccounts(text: string): readonly string[];
  /** The text that Slack wants back when an address is entered, if this is such a request. */
  readChallenge(text: string): string | undefined;
  exchangeCode(
    apiUrl: string,
    proof: { clientId: string; clientSecret: string; code: string; redirectUri: string },
  ): Promise<ChatInstallation>;
}

/** WhatsApp's Cloud API. */
export interface WhatsAppSystem extends ChatSystem {
  /** The phone numbers, by their ids, that a request tells about. */
  readAccounts(text: string): readonly string[];
  /** The number as people see it, if the token may use it. */
  readNumber(access: ChatAccess): Promise<{ name: string; displayNumber: string }>;
}

export interface ChatSystems {
  readonly slack: SlackSystem;
  readonly whatsapp: WhatsAppSystem;
}

/** The simulator of all chat systems, for the sandbox. */
export interface ChatSimulator {
  /** Starts it unless it runs. Without a slash at the end. */
  url(): Promise<string>;
  /** Makes what one tenant tries out, or makes it again after the simulator lost its memory. */
  setUp(playground: { id: string; secret: string; slack?: object; whatsapp?: object; email?: object }): Promise<void>;
}
