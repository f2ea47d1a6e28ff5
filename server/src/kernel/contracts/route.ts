import type { z } from "zod";
import { type Failure, type FailureDetails, type ServiceCode, serviceCodes } from "../../domain/errors.ts";
import type { Principal } from "../../ports/identity.ts";

/** One answer of a route, as the API description shows it. */
export interface AnswerDescription {
  readonly description: string;
  /** Undefined: the answer has no body. */
  readonly schema?: z.ZodType;
  /** `application/json` unless said otherwise. */
  readonly contentType?: string;
  /** In place of the route's own. */
  readonly example?: unknown;
  /** Whether it can be the answer of a tool, and then carries what those carry. */
  readonly ofTools?: boolean;
}

/** A route as its callers see it. The API description is made from this. */
export interface RouteDescription {
  readonly id: string;
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** In the router's words: parameters begin with a colon, for example `/api/travelers/:userId`. */
  readonly path: string;
  /** The group that it is listed in. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** `public`: no key; `any key`: a valid key; else the scope that the key needs. */
  readonly access: "public" | "any key" | { readonly scope: string; readonly internalToken?: true };
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** True: a request without a body is one with an empty object. */
  readonly isBodyOptional?: true;
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** The codes that it can answer beside those that every route of its kind can. */
  readonly problems: readonly ServiceCode[];
  /** Of the body, and of every answer that has none of its own. */
  readonly example?: { readonly body?: unknown; readonly answer?: unknown };
}

/** What a route is told of a request, once everything in it was found to fit. */
interface RouteCall<Params, Query, Body, Code extends ServiceCode> {
  params: Params;
  query: Query;
  body: Body;
  /** Ends the request with one of the route's own errors, in the words of its definition unless other words are given. */
  fail(code: Code, details?: FailureDetails): Failure;
}

/** Who calls a route that asks for a key. */
interface KeyedCall {
  principal: Principal;
}

/** Who calls a route that also takes the internal token: with a key its one principal, with a token one for each of its tenants. */
interface InternalCall {
  principals: readonly Principal[];
}

interface Headers {
  /** By its lower-case name. */
  header(name: string): string | undefined;
}

/** What a route without a key can prove its caller by. */
interface PublicCall extends Headers {
  /** The body as it was sent, of a route whose `bodyAs` is `text`; empty otherwise. */
  text: string;
}

/** The answer of a route that has made something new: 201 in place of 200. */
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
  /** By its suffix, what the reader's device opens it with. */
  readonly fileName: string;

  constructor({ content, contentType, fileName }: Pick<FileAnswer, "content" | "contentType" | "fileName">) {
    this.content = content;
    this.contentType = contentType;
    this.fileName = fileName;
  }
}

/** An answer may be built of what is only read. */
type Readable<Value> = Value extends readonly (infer Element)[]
  ? readonly Readable<Element>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Readable<Value[Key]> }
    : Value;

type RouteAnswer<Answer extends z.ZodType> = Promise<
  Readable<z.input<Answer>> | Created<Readable<z.input<Answer>>> | FileAnswer
>;

interface RouteParts<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
  Code extends ServiceCode,
> extends Pick<RouteDescription, "id" | "method" | "path" | "tag" | "summary" | "description"> {
  /** By the names in the path. What does not fit is nobody's id: `not_found` where `errors` has it, else `invalid_input`. */
  params?: Params;
  /** Of a parameter that stands there twice the first counts. */
  query?: Query;
  body?: Body;
  isBodyOptional?: true;
  /** Undefined: what every body may have. */
  maximumBodyBytes?: number;
  /** How many values the body may hold. Undefined: as many as other bodies. */
  maximumBodyValues?: number;
  /** By status: 200, and 201 where the route answers `Created`. What answers a `FileAnswer` says its types. */
  answers: Readonly<Record<number, { description: string; schema: Answer; contentType?: string }>>;
  /** What `detail` says of each code, unless the route says it better. */
  errors: Readonly<Record<Code, string>>;
  example?: { body?: z.input<NoInfer<Body>>; answer?: z.input<NoInfer<Answer>> };
}

interface RouteDefinition<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
  Code extends ServiceCode,
  Ports,
> extends RouteParts<Params, Query, Body, Answer, Code> {
  /** The scope that the key needs. One that ends in `:read` may rest on a cached key, every other is asked of the database. */
  scope: string;
  run(
    call: RouteCall<z.output<Params>, z.output<Query>, z.output<Body>, NoInfer<Code>> & KeyedCall,
    ports: Ports,
  ): RouteAnswer<NoInfer<Answer>>;
}

interface InternalRouteDefinition<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
  Code extends ServiceCode,
  Ports,
> extends RouteParts<Params, Query, Body, Answer, Code> {
  /** The scope that a key needs; an internal token needs none. Both are asked of the database. */
  scope: string;
  run(
    call: RouteCall<z.output<Params>, z.output<Query>, z.output<Body>, NoInfer<Code>> & InternalCall & Headers,
    ports: Ports,
  ): RouteAnswer<NoInfer<Answer>>;
}

interface PublicRouteDefinition<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
  Code extends ServiceCode,
  Ports,
> extends RouteParts<Params, Query, Body, Answer, Code> {
  /** Which of its requests count against the limit of the caller's address: all, or those that it refuses as `unauthorized` or `not_found`. */
  limitByAddress: AddressLimit;
  /** Judges a request by its headers, before its body is read: false is answered `unauthorized`. Left out: every body is read. */
  mayRead?(headers: Headers, ports: Ports): boolean;
  /** `text`: `body` only describes it, and the route itself reads what was sent, for example to verify a signature of it. */
  bodyAs?: "json" | "text";
  run(
    call: RouteCall<z.output<Params>, z.output<Query>, z.output<Body>, NoInfer<Code>> & PublicCall,
    ports: Ports,
  ): RouteAnswer<NoInfer<Answer>>;
}

type AddressLimit = "requests" | "refusals";

/** A route as the surfaces see it: the types of what it takes and answers are erased. `Ports` is what it needs to run. */
export interface Route<in Ports> extends RouteDescription {
  /** Only of a route without a key. */
  readonly limitByAddress: AddressLimit | undefined;
  readonly mayRead?: ((headers: Headers, ports: Ports) => boolean) | undefined;
  readonly bodyAs: "json" | "text";
  readonly maximumBodyBytes: number | undefined;
  readonly maximumBodyValues?: number | undefined;
  readonly errors: Readonly<Partial<Record<ServiceCode, string>>>;
  /** What was read by its schemas in, an unchecked answer out. `principal` is there where a key is asked for. */
  run(call: ErasedCall, ports: Ports): Promise<unknown>;
}

type Members = Readonly<Record<string, unknown>>;
type ErasedCall = RouteCall<Members, Members, Members, ServiceCode> & Partial<PublicCall & KeyedCall & InternalCall>;

/** A route for whoever has a key with its scope. */
export function defineRoute<
  Answer extends z.ZodType,
  const Code extends ServiceCode,
  Ports,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
>(definition: RouteDefinition<Params, Query, Body, Answer, Code, Ports>): Route<Ports> {
  const { scope, maximumBodyBytes, ...face } = definition;
  const problems = problemsOf(definition.errors);
  return { ...face, access: { scope }, problems, maximumBodyBytes, limitByAddress: undefined, bodyAs: "json" };
}

/** A route for whoever has a key with its scope, or the internal token. */
export function defineInternalRoute<
  Answer extends z.ZodType,
  const Code extends ServiceCode,
  Ports,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
>(definition: InternalRouteDefinition<Params, Query, Body, Answer, Code, Ports>): Route<Ports> {
  const { scope, maximumBodyBytes, ...face } = definition;
  const access = { scope, internalToken: true } as const;
  const problems = problemsOf(definition.errors);
  return { ...face, access, problems, maximumBodyBytes, limitByAddress: undefined, bodyAs: "json" };
}

/** A route for whoever can prove in another way than by a key that it is theirs to call. */
export function definePublicRoute<
  Answer extends z.ZodType,
  const Code extends ServiceCode,
  Ports,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
>(definition: PublicRouteDefinition<Params, Query, Body, Answer, Code, Ports>): Route<Ports> {
  const { maximumBodyBytes, bodyAs = "json", ...face } = definition;
  return { ...face, access: "public", problems: problemsOf(definition.errors), maximumBodyBytes, bodyAs };
}

function problemsOf(errors: Readonly<Partial<Record<ServiceCode, string>>>): readonly ServiceCode[] {
  return serviceCodes.filter((code) => Object.hasOwn(errors, code));
}
