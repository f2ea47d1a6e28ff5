import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import { paragraph, renderPage } from "../sign-in/render-page.ts";

const WORDS: Readonly<Record<string, string>> = {
  invalid_client: "The service does not know the program that sent you here.",
  invalid_redirect_uri: "The program wants you to be sent to an address that it has not registered.",
  invalid_request: "The program's request is not complete, or it has expired.",
};

/** A request that cannot be answered to the program that sent it. Nobody is sent anywhere. */
export const renderErrorPage: NonNullable<Configuration["renderError"]> = (
  context: KoaContextWithOIDC,
  { error, error_description: description },
) => {
  const { headers, body } = renderPage({
    title: "This program cannot be connected",
    body: `${paragraph(WORDS[error] ?? "The request was refused.")}
${paragraph(`Start again from the program. If it happens again, tell its makers: ${error}${description === undefined ? "" : `, ${description}`}.`, "quiet")}`,
  });
  context.set(headers);
  context.body = body;
};
