import type { z } from "zod";
import { type Failure, type FailureDetails, type ServiceCode, serviceCodes } from "../../domain/errors.ts";
import type { Principal } from "../../ports/identity.ts";
import type { SignalSource } from "./invocation.ts";

/** One answer of a route, as the API description shows it. */
export interface AnswerDescription {
  readonly description: string;
  /** Undefined: the answer has no body. */
  readonly schema?: z.ZodType;
  /** `application/json` unless said otherwise. */
  readonly contentType?: string;
  /** By media type: what it looks like for callers that accept another. */
  readonly otherwise?: Readonly<Record<string, z.ZodType>>;
  /** Replaces the route's own. */
  readonly example?: unknown;
  /** Whether it can be a tool's answer, and then has the members of those. */
  readonly ofTools?: boolean;
}

/** A route as its callers see it; the API description is generated from it. */
export interface RouteDescription {
  readonly id: string;
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** In the router's syntax: parameters begin with a colon, for example `/api/travelers/:userId`. */
  readonly path: string;
  /** The group that it is listed in. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** `public`: no key; `any key`: a valid key; else the scope that the key needs. */
  readonly access:
    | "public"
    | "any key"
    | { readonly scope: string; readonly internalToken?: true; readonly orOwn?: string | undefined };
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** True: a missing body counts as an empty object. */
  readonly isBodyOptional?: true;
  /** True: requests with the same Idempotency-Key do no more than one of them. */
  readonly takesIdempotencyKey?: true;
  /** True: it answers with events, which are sent as they come. */
  readonly isStream?: true;
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** The codes that it can answer in addition to those of every route of its kind. */
  readonly problems: readonly ServiceCode[];
  /** For the body, and for every answer without its own. */
  readonly example?: { readonly body?: unknown; readonly answer?: unknown };
}

/** A validated request, as a route receives it. */
interface RouteCall<Params, Query, Body, Code extends ServiceCode> {
  params: Params;
  query: Query;
  body: Body;
  /** Ends the request with one of the route's own errors, with the text of its definition unless another is given. */
  fail(code: Code, details?: FailureDetails): Failure;
}

/** The caller of a route that asks for a key. */
interface KeyedCall {
  principal: Principal;
  gone: SignalSource;
}

/** The caller of a route that also takes the internal token: one principal for a key, one per tenant for a token. */
interface InternalCall {
  principals: readonly Principal[];
  gone: SignalSource;
}

interface Headers {
  /** By its lower-case name. */
  header(name: string): string | undefined;
}

/** The proof of identity that a route without a key can use. */
interface PublicCall extends Headers {
  /** The body as sent, if the route's `bodyAs` is `text`; otherwise empty. */
  text: string;
}

/** The answer of a route that created something: 201 in place of 200. */
export class Created<Value> {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** An answer that is a file, sent as it is. */
export class FileAnswer {
  readonly content: Uint8Array;
  readonly contentType: string;
  /** The reader's device chooses a program by its suffix. */
  readonly fileName: string;

  constructor({ content, contentType, fileName }: Pick<FileAnswer, "content" | "contentType" | "fileName">) {
    this.content = content;
    this.contentType = contentType;
    this.fileName = fileName;
  }
}

/** An event as its stream sends it: JSON without a line break. */
export interface SentEvent {
  readonly sequence: number;
  readonly line: string;
}

/** An answer that is a stream of events, in the format that the caller accepts. */
export class EventsAnswer {
  readonly events: AsyncIterable<SentEvent>;

  constructor(events: AsyncIterable<SentEvent>) {
    this.events = events;
  }
}

/** An answer may be built from read-only values. */
type Readable<Value> = Value extends readonly (infer Element)[]
  ? readonly Readable<Element>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Readable<Value[Key]> }
    : Value;

type RouteAnswer<Answer extends z.ZodType> = Promise<
  Readable<z.input<Answer>> | Created<Readable<z.input<Answer>>> | FileAnswer | EventsAnswer
>;

interface RouteDefinition<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
  Code extends ServiceCode,
  Caller,
  Ports,
> extends Pick<RouteDescription, "id" | "method" | "path" | "tag" | "summary" | "description" | "takesIdempotencyKey"> {
  /** By the names in the path. A malformed value is `not_found` if `errors` has it, else `invalid_input`. */
  params?: Params;
  /** If a parameter is repeated, the first one counts. */
  query?: Query;
  body?: Body;
  isBodyOptional?: true;
  /** Undefined for the usual limit. */
  maximumBodyBytes?: number;
  /** The maximum number of values in the body. Undefined for the usual limit. */
  maximumBodyValues?: number;
  /** By status: 200, and 201 where the route answers `Created`. A `FileAnswer` needs its content types here. */
  answers: Readonly<
    Record<number, { description: string; schema: Answer } & Pick<AnswerDescription, "contentType" | "otherwise">>
  >;
  /** The default `detail` of each code. */
  errors: Readonly<Record<Code, string>>;
  example?: { body?: z.input<NoInfer<Body>>; answer?: z.input<NoInfer<Answer>> };
  run(
    call: RouteCall<z.output<Params>, z.output<Query>, z.output<Body>, NoInfer<Code>> & Caller,
    ports: Ports,
  ): RouteAnswer<NoInfer<Answer>>;
}

interface KeyedRoute {
  /** The scope that the key needs. A scope ending in `:read` may rest on a cached key; any other is read from the database. */
  scope: string;
  /** The parameter of the path that names a person: their own key needs no scope, whatever their roles are. */
  orOwn?: string;
}

interface InternalRoute {
  /** The scope that a key needs; an internal token needs none. Both are read from the database. */
  scope: string;
}

interface PublicRoute<Ports> {
  /** The requests that count against the limit of the caller's address: all, or those refused as `unauthorized` or `not_found`. */
  limitByAddress: AddressLimit;
  /** Judges a request by its headers before its body is read: false answers `unauthorized`. Left out, every body is read. */
  mayRead?(headers: Headers, ports: Ports): boolean;
  /** `text`: `body` is documentation only, and the route reads the raw text itself, for example to verify a signature. */
  bodyAs?: "json" | "text";
}

type AddressLimit = "requests" | "refusals";

/** A route as the surfaces see it, with the types of its input and answers erased. `Ports` is what it needs to run. */
export interface Route<in Ports> extends RouteDescription {
  /** Only for a route without a key. */
  readonly limitByAddress: AddressLimit | undefined;
  readonly mayRead?: ((headers: Headers, ports: Ports) => boolean) | undefined;
  readonly bodyAs: "json" | "text";
  readonly maximumBodyBytes: number | undefined;
  readonly maximumBodyValues?: number | undefined;
  readonly errors: Readonly<Partial<Record<ServiceCode, string>>>;
  /** Takes validated input and returns an unchecked answer. `principal` is set if a key is asked for. */
  run(call: ErasedCall, ports: Ports): Promise<unknown>;
}

type Members = Readonly<Record<string, unknown>>;
type ErasedCall = RouteCall<Members, Members, Members, ServiceCode> & Partial<PublicCall & KeyedCall & InternalCall>;

type DefineRoute<Caller, Scoped> = <
  Answer extends z.ZodType,
  const Code extends ServiceCode,
  Ports,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
>(
  definition: RouteDefinition<Params, Query, Body, Answer, Code, Caller, Ports> & Scoped,
) => Route<Ports>;

/** A route for keys with its scope. */
export const defineRoute: DefineRoute<KeyedCall, KeyedRoute> = ({ scope, orOwn, maximumBodyBytes, ...face }) => {
  const problems = listProblemCodes(face.errors);
  return { ...face, access: { scope, orOwn }, problems, maximumBodyBytes, limitByAddress: undefined, bodyAs: "json" };
};

/** A route for keys with its scope, whose answer is a stream of events. */
export const defineStream: DefineRoute<KeyedCall & Headers, KeyedRoute> = ({ scope, maximumBodyBytes, ...face }) => {
  const problems = listProblemCodes(face.errors);
  const shared = { access: { scope }, problems, maximumBodyBytes, limitByAddress: undefined } as const;
  return { ...face, ...shared, isStream: true, bodyAs: "json" };
};

/** A route for keys with its scope, or for the internal token. */
export const defineInternalRoute: DefineRoute<InternalCall & Headers, InternalRoute> = ({
  scope,
  maximumBodyBytes,
  ...face
}) => {
  const access = { scope, internalToken: true } as const;
  const problems = listProblemCodes(face.errors);
  return { ...face, access, problems, maximumBodyBytes, limitByAddress: undefined, bodyAs: "json" };
};

/** A route whose callers prove by other means than a key that they may call it. */
export function definePublicRoute<
  Answer extends z.ZodType,
  const Code extends ServiceCode,
  Ports,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
>(
  definition: RouteDefinition<Params, Query, Body, Answer, Code, PublicCall, Ports> & PublicRoute<Ports>,
): Route<Ports> {
  const { maximumBodyBytes, bodyAs = "json", ...face } = definition;
  return { ...face, access: "public", problems: listProblemCodes(definition.errors), maximumBodyBytes, bodyAs };
}

function listProblemCodes(errors: Readonly<Partial<Record<ServiceCode, string>>>): readonly ServiceCode[] {
  return serviceCodes.filter((code) => Object.hasOwn(errors, code));
}
