import { createHash, timingSafeEqual } from "node:crypto";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { airlineChangeRoutes } from "./changes/airline-initiated.ts";
import { orderChangeRoutes } from "./changes/confirm.ts";
import { changeRequestRoutes } from "./changes/requests.ts";
import { flightFaults } from "./control/flight-faults.ts";
import { guardControl } from "./control/guard.ts";
import { controlRoutes } from "./control/routes.ts";
import type { Scenarios } from "./control/scenarios.ts";
import { creditRoutes } from "./credits/routes.ts";
import { ApiError, apiError, notFound, wireError } from "./http/errors.ts";
import { type HeldRequests, heldRequestRoutes } from "./http/held-requests.ts";
import { type RateLimit, rateLimitRoutes } from "./http/rate-limit.ts";
import { type RecordedRequests, recordedRequestRoutes } from "./http/recorded-requests.ts";
import { customerUserRoutes } from "./identity/routes.ts";
import { newId } from "./ids.ts";
import { offerRoutes } from "./offers/routes.ts";
import type { OfferStore } from "./offers/store.ts";
import { cancellationRoutes } from "./orders/cancellations.ts";
import { paymentRoutes } from "./orders/payments.ts";
import { orderRoutes } from "./orders/routes.ts";
import { orderServiceRoutes } from "./orders/services.ts";
import { referenceRoutes } from "./reference/routes.ts";
import type { Env, Sandbox } from "./sandbox.ts";
import { seatRoutes } from "./seats/routes.ts";
import { photoRoutes } from "./stays/photos.ts";
import { stayRoutes } from "./stays/routes.ts";
import { isDatabaseUnavailable, isUnstorableText } from "./storage/database.ts";
import { webhookRoutes } from "./webhooks/routes.ts";
import type { Workers } from "./workers.ts";

const API_VERSION = "v2";

function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function holdsToken(authorization: string, token: string): boolean {
  const [scheme, given = ""] = authorization.split(" ");
  return scheme?.toLowerCase() === "bearer" && sameSecret(given, token);
}

/** The headers that every call of the supplier's API has to carry. */
function requireHeaders(token: string) {
  return createMiddleware<Env>(async (context, next) => {
    const authorization = context.req.header("authorization");
    if (authorization === undefined) {
      throw new ApiError(401, [
        wireError(
          "authentication_error",
          "missing_authorization_header",
          "The 'Authorization' header needs to be set and contain a valid API token.",
        ),
      ]);
    }
    if (!holdsToken(authorization, token)) {
      throw new ApiError(401, [
        wireError(
          "authentication_error",
          "access_token_not_found",
          "The access token used is not recognized by our system.",
        ),
      ]);
    }
    const version = context.req.header("duffel-version");
    if (version === undefined) {
      throw new ApiError(400, [
        wireError(
          "invalid_request_error",
          "missing_version_header",
          "The 'Duffel-Version' header needs to be set to a valid API version.",
        ),
      ]);
    }
    if (version !== API_VERSION) {
      throw new ApiError(400, [
        wireError(
          "invalid_request_error",
          "unsupported_version",
          `The version '${version}' is not supported; use '${API_VERSION}'.`,
        ),
      ]);
    }
    await next();
  });
}

/** Which answer tells the truth about an error that no handler foresaw. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // 503 says that nothing happened, which is so as long as no commit was sent.
  if (isDatabaseUnavailable(error))
    return apiError(503, "service_unavailable", "The service is temporarily unavailable. Please try again later.");
  if (isUnstorableText(error)) {
    return new ApiError(422, [
      wireError("validation_error", "validation_format", "The request contains characters that cannot be stored."),
    ]);
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return apiError(500, "internal_server_error", "Something went wrong. The outcome of this request is not known.");
}

export function createApp(
  sandbox: Sandbox,
  parts: {
    offers: OfferStore;
    scenarios: Scenarios;
    workers: Workers;
    limits: RateLimit;
    held: HeldRequests;
    recorded: RecordedRequests;
    token: string;
  },
): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  app.use(async (context, next) => {
    context.set("requestId", newId("req"));
    await next();
    context.res.headers.set("x-request-id", context.get("requestId"));
  });
  app.onError((error, context) => {
    const failure = toApiError(error);
    const body = { meta: { status: failure.status, request_id: context.get("requestId") }, errors: failure.errors };
    // Here too: what no route answers does not come back through the middleware.
    const headers = { "x-request-id": context.get("requestId") };
    return Response.json(body, { status: failure.status, headers });
  });
  app.notFound(() => {
    throw notFound("The resource you are trying to access does not exist.");
  });

  app.get("/healthz", async (context) => {
    await sandbox.db.query("SELECT 1");
    return context.json({ ok: true });
  });
  app.use(
    "/_sandbox/*",
    guardControl((authorization) => holdsToken(authorization, parts.token)),
  );
  app.route("/", controlRoutes(sandbox, parts.scenarios, parts.workers));
  app.route("/", rateLimitRoutes(parts.limits));
  app.route("/", heldRequestRoutes(parts.held));
  app.route("/", recordedRequestRoutes(parts.recorded));
  app.route("/", photoRoutes());
  for (const prefix of ["/air/*", "/places/*", "/identity/*", "/stays/*"]) app.use(prefix, requireHeaders(parts.token));
  app.use(
    "/air/*",
    flightFaults(sandbox, async (request, env) => app.fetch(request, env)),
  );
  app.route("/", referenceRoutes());
  app.route("/", offerRoutes(sandbox, parts.offers));
  app.route("/", seatRoutes(sandbox, parts.offers));
  app.route("/", orderRoutes(sandbox, parts.offers));
  app.route("/", orderServiceRoutes(sandbox));
  app.route("/", paymentRoutes(sandbox));
  app.route("/", cancellationRoutes(sandbox));
  app.route("/", changeRequestRoutes(sandbox));
  app.route("/", orderChangeRoutes(sandbox));
  app.route("/", airlineChangeRoutes(sandbox));
  app.route("/", creditRoutes(sandbox));
  app.route("/", customerUserRoutes(sandbox));
  app.route("/", webhookRoutes(sandbox));
  app.route("/", stayRoutes(sandbox));
  return app;
}
