import { z } from "zod";
import { Email } from "../../../domain/schemas.ts";
import { buildScope } from "../../../domain/scopes.ts";
import { defineRoute } from "../../../kernel/contracts/route.ts";
import { chooseOwner, type UserParts } from "../callers/choose-user.ts";
import { UserQuery } from "../callers/user-query.ts";
import { issueCode, type LinkParts, redeemCode } from "./link-codes.ts";

type LinkRouteParts = UserParts & LinkParts;

const LINK_ID = /^lnk_[0-9A-Z]{26}$/;
const LONGEST_CODE = 40;
const WRITE = buildScope("conversations", "write");

const Link = z.object({
  linkId: z.string(),
  kind: z.enum(["key", "email"]),
  subject: z.string().describe("svc:<keyId>, or a proved address"),
  createdAt: z.string(),
});
const exampleLink = {
  linkId: "lnk_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  kind: "key" as const,
  subject: "svc:key_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  createdAt: "2030-01-01T09:00:00Z",
};

const issueLinkCode = defineRoute({
  id: "issue_link_code",
  method: "POST",
  path: "/api/conversation-link-codes",
  tag: "conversations",
  summary: "Issue a link code",
  description:
    "A single-use code, valid for ten minutes, that links another key to this traveler; that key then continues the same conversations. With `email`, the code is mailed there; if the same caller redeems it, the address is proved.",
  scope: WRITE,
  query: z.object(UserQuery),
  body: z.strictObject({ email: Email.exactOptional() }),
  isBodyOptional: true,
  answers: {
    200: {
      description: "The code.",
      schema: z.object({
        code: z.string().nullable().describe("Shown once. Never store it. null: it was mailed"),
        expiresAt: z.string(),
      }),
    },
  },
  errors: {
    conflict: "The caller has no traveler, the person works for the tenant, or email is off; `detail` says which.",
  },
  example: { body: {}, answer: { code: "7K3M-Q9XT", expiresAt: "2030-01-01T09:10:00Z" } },
  async run({ principal, query, body }, parts: LinkRouteParts) {
    const owner = await chooseOwner(parts, principal, query.userId);
    const { code, expiresAt } = await issueCode(parts, owner, body.email?.toLowerCase());
    return { code: code ?? null, expiresAt: expiresAt.toString() };
  },
});

const redeemLinkCode = defineRoute({
  id: "redeem_link_code",
  method: "POST",
  path: "/api/conversation-links",
  tag: "conversations",
  summary: "Redeem a link code",
  description:
    "Links the calling key, with the conversations that it began, to the traveler who issued the code; or proves the address to which the code was mailed. Five attempts in ten minutes.",
  scope: WRITE,
  query: z.object(UserQuery),
  body: z.strictObject({ code: z.string().min(1).max(LONGEST_CODE).describe("As shown or mailed") }),
  answers: {
    200: {
      description: "The traveler to whom the caller's conversations belong now.",
      schema: z.object({ userId: z.string() }),
    },
  },
  errors: {
    not_found:
      "This code is not valid: it was mistyped or already used, has expired, or belongs to someone else. Request a new one.",
    conflict: "The caller's conversations already belong to another traveler. Remove that link first.",
    rate_limited: "Too many codes were tried. Wait ten minutes, then request a new one.",
  },
  example: { body: { code: "7K3M-Q9XT" }, answer: { userId: "user_ada" } },
  async run({ principal, query, body }, parts: LinkRouteParts) {
    const owner = await chooseOwner(parts, principal, query.userId);
    const isKeyAlone = query.userId === undefined && principal.personId === undefined;
    const keyId = isKeyAlone ? principal.serviceAccountId : undefined;
    return { userId: await redeemCode(parts, { ...owner, keyId, provesWith: principal.keyId }, body.code) };
  },
});

const listLinks = defineRoute({
  id: "list_conversation_links",
  method: "GET",
  path: "/api/conversation-links",
  tag: "conversations",
  summary: "List a traveler's links",
  description: "The keys and proved addresses that are linked to this traveler.",
  scope: buildScope("conversations", "read"),
  query: z.object(UserQuery),
  answers: {
    200: { description: "The links.", schema: z.object({ userId: z.string(), links: z.array(Link) }) },
  },
  errors: {},
  example: { answer: { userId: "user_ada", links: [exampleLink] } },
  async run({ principal, query }, parts: LinkRouteParts) {
    const owner = await chooseOwner(parts, principal, query.userId);
    const links = await parts.stores.conversationLinks.list(owner, owner.ownerId);
    return {
      userId: owner.ownerId,
      links: links.map(({ id, createdAt, ...link }) => ({ linkId: id, createdAt: createdAt.toString(), ...link })),
    };
  },
});

const removeLink = defineRoute({
  id: "remove_conversation_link",
  method: "DELETE",
  path: "/api/conversation-links/:linkId",
  tag: "conversations",
  summary: "Remove a link",
  description: "Afterwards the key or address belongs to no traveler. What it said before stays with the traveler.",
  scope: WRITE,
  params: z.object({ linkId: z.string().regex(LINK_ID) }),
  query: z.object(UserQuery),
  answers: {
    200: { description: "The link was removed.", schema: z.object({ linkId: z.string(), removed: z.literal(true) }) },
  },
  errors: { not_found: "This traveler has no such link." },
  example: { answer: { linkId: exampleLink.linkId, removed: true } },
  async run({ principal, params: { linkId }, query, fail }, parts: LinkRouteParts) {
    const owner = await chooseOwner(parts, principal, query.userId);
    if (!(await parts.stores.conversationLinks.remove(owner, owner.ownerId, linkId))) throw fail("not_found");
    return { linkId, removed: true as const };
  },
});

export const linkRoutes = [listLinks, issueLinkCode, redeemLinkCode, removeLink];
