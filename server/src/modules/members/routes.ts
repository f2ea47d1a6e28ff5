import { z } from "zod";
import { newId } from "../../domain/ids.ts";
import { ADMINISTERS_MEMBERS } from "../../domain/scopes.ts";
import { isUserId } from "../../domain/user-ids.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Identity, Principal } from "../../ports/identity.ts";
import { type Person, personRoles } from "../identity/index.ts";
import { addMember, changeRoles, removeMember } from "./change-members.ts";
import type { Stores } from "./context.ts";
import type { Invitations } from "./invitations.ts";

interface MemberPorts {
  stores: Pick<Stores, "persons" | "transaction">;
  memberInvitations: Pick<Invitations, "invite">;
  identity: Pick<Identity, "getTenant">;
  clock: Clock;
}

const LONGEST_NAME = 100;

const Roles = z.array(z.enum(personRoles)).min(1).max(personRoles.length);
const MemberAnswer = z.object({
  memberId: z.string(),
  name: z.string(),
  email: z.string(),
  roles: z.array(z.enum(personRoles)),
  state: z.enum(["active", "invited"]).describe("invited: has not signed in yet"),
  createdAt: z.string(),
});
const InvitedAnswer = z.object({
  member: MemberAnswer,
  link: z
    .string()
    .nullable()
    .describe("Shown only here, to pass on, if there is no mail server; null: it was mailed. It works once"),
  expiresAt: z.string().describe("When the link ends"),
});

const example: z.output<typeof MemberAnswer> = {
  memberId: "user_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  name: "Grace Hopper",
  email: "grace@example.com",
  roles: ["approver"],
  state: "invited",
  createdAt: "2030-01-01T09:00:00Z",
};
const invited = { member: example, link: null, expiresAt: "2030-01-08T09:00:00Z" };
const MemberPath = z.object({ memberId: z.string().refine(isUserId, { message: "must be the id of a member" }) });
const NOT_FOUND = "The tenant has no such member in this environment.";
const OWNERS = "Only an owner changes owners, and one who has signed in remains.";
const TAG = "members";

const listMembers = defineRoute({
  id: "list_members",
  method: "GET",
  path: "/api/members",
  tag: TAG,
  summary: "List members",
  description: "The people who work for the tenant in the environment of the key, oldest first.",
  scope: ADMINISTERS_MEMBERS,
  answers: { 200: { description: "The members.", schema: z.object({ members: z.array(MemberAnswer) }) } },
  errors: {},
  example: { answer: { members: [example] } },
  async run({ principal }, { stores }: MemberPorts) {
    const [members, active] = await Promise.all([stores.persons.list(principal), stores.persons.listActive(principal)]);
    return { members: members.map((member) => describeMember(member, active)) };
  },
});

const inviteMember = defineRoute({
  id: "invite_member",
  method: "POST",
  path: "/api/members",
  tag: TAG,
  summary: "Invite a member",
  description:
    "Adds a person and mails them a link that signs them in, once and within a week. Nobody gives roles that allow more than their own.",
  scope: ADMINISTERS_MEMBERS,
  body: z.strictObject({
    name: z.string().trim().min(1).max(LONGEST_NAME),
    email: z.email().max(254),
    roles: Roles,
  }),
  answers: { 200: { description: "The member, invited.", schema: InvitedAnswer } },
  errors: { conflict: `The address works here already. Invite the member again instead. ${OWNERS}` },
  example: {
    body: { name: "Grace Hopper", email: "grace@example.com", roles: ["approver"] },
    answer: invited,
  },
  async run({ principal, body, fail }, ports: MemberPorts) {
    const id = newId("user_", ports.clock.now().epochMilliseconds);
    const person = { id, name: toVisibleText(body.name, LONGEST_NAME), email: body.email, roles: body.roles };
    const member = await addMember(ports.stores, principal, person);
    if (member === undefined) throw fail("conflict");
    return await invite(member, principal, ports);
  },
});

const inviteAgain = defineRoute({
  id: "invite_member_again",
  method: "POST",
  path: "/api/members/:memberId/invitation",
  tag: TAG,
  summary: "Invite a member again",
  description: "Sends another link, which signs the member in once and within a week. Earlier invitations end.",
  scope: ADMINISTERS_MEMBERS,
  params: MemberPath,
  answers: { 200: { description: "The member, invited.", schema: InvitedAnswer } },
  errors: { not_found: NOT_FOUND, conflict: "The member has signed in already, and asks for a code at the sign-in." },
  example: { answer: invited },
  async run({ principal, params: { memberId }, fail }, ports: MemberPorts) {
    const member = await ports.stores.persons.find(principal, memberId);
    if (member === undefined) throw fail("not_found");
    // A link would sign whoever has it in as somebody who is at work already.
    if ((await ports.stores.persons.listActive(principal)).has(memberId)) throw fail("conflict");
    return await invite(member, principal, ports);
  },
});

const setRoles = defineRoute({
  id: "set_member_roles",
  method: "POST",
  path: "/api/members/:memberId/roles",
  tag: TAG,
  summary: "Change a member's roles",
  description:
    "Applies at once to their sessions, to the agents that they have connected, and to their own API keys, which lose what only the earlier roles allowed, for good.",
  scope: ADMINISTERS_MEMBERS,
  params: MemberPath,
  body: z.strictObject({ roles: Roles }),
  answers: { 200: { description: "The member.", schema: MemberAnswer } },
  errors: { not_found: NOT_FOUND, conflict: OWNERS },
  example: { body: { roles: ["approver"] }, answer: example },
  async run({ principal, params: { memberId }, body: { roles }, fail }, { stores }: MemberPorts) {
    const member = await changeRoles(stores, principal, { memberId, roles });
    if (member === undefined) throw fail("not_found");
    return describeMember(member, await stores.persons.listActive(principal));
  },
});

const remove = defineRoute({
  id: "remove_member",
  method: "DELETE",
  path: "/api/members/:memberId",
  tag: TAG,
  summary: "Remove a member",
  description: "Ends their sessions, their keys and the agents that they have connected, at once.",
  scope: ADMINISTERS_MEMBERS,
  params: MemberPath,
  answers: {
    200: {
      description: "The member is removed.",
      schema: z.object({ memberId: z.string(), removed: z.literal(true) }),
    },
  },
  errors: { not_found: NOT_FOUND, conflict: OWNERS },
  example: { answer: { memberId: example.memberId, removed: true } },
  async run({ principal, params: { memberId }, fail }, { stores }: MemberPorts) {
    if (!(await removeMember(stores, principal, memberId))) throw fail("not_found");
    return { memberId, removed: true as const };
  },
});

export const memberRoutes = [listMembers, inviteMember, inviteAgain, setRoles, remove];

async function invite(
  member: Person,
  { tenantId, environment, personId }: Principal,
  { memberInvitations, stores, identity }: MemberPorts,
): Promise<z.output<typeof InvitedAnswer>> {
  const owner = { tenantId, environment };
  const by = personId === undefined ? undefined : await stores.persons.find(owner, personId);
  const tenant = await identity.getTenant(tenantId);
  const tenantName = tenant?.name ?? tenantId;
  const { url, expiresAt } = await memberInvitations.invite(owner, member, { by: by?.name ?? tenantName, tenantName });
  return { member: describeMember(member, new Set()), link: url ?? null, expiresAt: expiresAt.toString() };
}

function describeMember({ id, name, email, roles, createdAt }: Person, active: ReadonlySet<string>) {
  const state = active.has(id) ? ("active" as const) : ("invited" as const);
  return { memberId: id, name, email, roles: [...roles], state, createdAt: createdAt.toString() };
}
