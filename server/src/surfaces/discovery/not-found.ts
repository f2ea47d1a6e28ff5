import { chooseTraceId } from "../http/trace.ts";
import { renderProblem } from "../render-error.ts";

/** A 404 problem that pages of other origins may read, like everything public. */
export function notFound(
  request: Request,
  appUrl: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const traceId = chooseTraceId(request.headers.get("traceparent") ?? undefined);
  const problem = renderProblem({ code: "not_found", detail }, { traceId, appUrl });
  return new Response(problem.body, {
    status: problem.status,
    headers: { ...problem.headers, "access-control-allow-origin": "*", ...headers },
  });
}
