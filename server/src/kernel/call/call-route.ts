import { Failure, type FailureDetails, type ServiceCode } from "../../domain/errors.ts";
import type { Principal } from "../../ports/identity.ts";
import type { SignalSource } from "../contracts/invocation.ts";
import { Created, type Route } from "../contracts/route.ts";
import { validateArguments } from "./validate.ts";

/** A request as a surface has read it; the body is read only once the rest is valid. */
export interface GivenRequest {
  /** Empty if the route asks for no key; several if an internal token is bound to several tenants. */
  principals: readonly Principal[];
  gone: SignalSource;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  /** By its lower-case name. */
  header(name: string): string | undefined;
  readText(maximumBytes: number | undefined): Promise<string>;
  readJson(maximumBytes: number | undefined): Promise<unknown>;
}

/** Checks a request against the route's schemas and runs the route. Throws a Failure if something does not fit. */
export async function callRoute<Ports>(
  route: Route<Ports>,
  given: GivenRequest,
  ports: Ports,
): Promise<{ status: 200 | 201; value: unknown }> {
  const { principals, gone, header } = given;
  const [principal] = principals;
  if (route.mayRead?.({ header }, ports) === false) throw buildFailure(route, "unauthorized");
  const params = checkParams(route, given.params);
  const query = route.query === undefined ? {} : validateArguments(route.query, given.query);
  const text = route.bodyAs === "text" ? await given.readText(route.maximumBodyBytes) : "";
  const value = await route.run(
    {
      ...(principal === undefined ? {} : { principal, principals }),
      gone,
      params,
      query,
      body: await checkBody(route, given),
      text,
      header,
      fail: (code, details) => buildFailure(route, code, details),
    },
    ports,
  );
  return value instanceof Created ? { status: 201, value: value.value } : { status: 200, value };
}

function buildFailure<Ports>({ errors }: Route<Ports>, code: ServiceCode, details?: FailureDetails): Failure {
  return new Failure(code, { detail: errors[code] ?? code, ...details });
}

function checkParams<Ports>({ params, errors }: Route<Ports>, given: GivenRequest["params"]): Record<string, unknown> {
  if (params === undefined) return {};
  const { not_found: detail } = errors;
  // A malformed id is a 404 on routes that declare `not_found`.
  if (detail !== undefined && !params.safeParse(given).success) throw new Failure("not_found", { detail });
  return validateArguments(params, given);
}

async function checkBody<Ports>(
  { body, bodyAs, isBodyOptional, maximumBodyBytes, maximumBodyValues }: Route<Ports>,
  given: GivenRequest,
): Promise<Record<string, unknown>> {
  if (body === undefined || bodyAs === "text") return {};
  if (isBodyOptional === true && !hasBody(given)) return validateArguments(body, {});
  return validateArguments(body, await given.readJson(maximumBodyBytes), maximumBodyValues);
}

function hasBody({ header }: GivenRequest): boolean {
  return header("transfer-encoding") !== undefined || Number(header("content-length") ?? 0) > 0;
}
