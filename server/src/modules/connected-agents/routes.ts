import { z } from "zod";
import { ADMINISTERS_KEYS, buildScope, hasScope } from "../../domain/scopes.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Principal } from "../../ports/identity.ts";
import type { ShownConnection } from "./connections.ts";
import type { Stores } from "./context.ts";
import type { KeptAgents } from "./kept-agents.ts";

interface AgentPorts {
  stores: Pick<Stores, "connections">;
  connectedAgents: Pick<KeptAgents, "end">;
}

const OWN = buildScope("account", "read");
const CONNECTION_ID = /^con_[0-9A-Z]{26}$/;

const AgentAnswer = z.object({
  connectionId: z.string(),
  name: z.string().describe("As the program names itself"),
  host: z.string().nullable().describe("The host that vouches for the name; null: nobody does"),
  personId: z.string().describe("For whom it acts"),
  personName: z.string(),
  keyId: z.string().describe("The key that its calls have in usage records"),
  resource: z.string().describe("The MCP endpoint that it may call"),
  scopes: z.array(z.string()).describe("What it may do now: what the person allowed, while their roles allow it"),
  createdAt: z.string(),
  seenAt: z.string().nullable().describe("Within a minute; null: it has never called"),
  expiresAt: z.string().nullable(),
});

const example = {
  connectionId: "con_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  name: "Desk assistant",
  host: "assistant.example",
  personId: "user_demo",
  personName: "Ada Lovelace",
  keyId: "key_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  resource: "https://travel.example/api/mcp",
  scopes: ["flights:read", "stays:read"],
  createdAt: "2030-01-01T09:00:00Z",
  seenAt: null,
  expiresAt: "2030-04-01T09:00:00Z",
};

const listAgents = defineRoute({
  id: "list_connected_agents",
  method: "GET",
  path: "/api/connected-agents",
  tag: "account",
  summary: "List connected agents",
  description:
    "Agents that were connected by OAuth: those of the person of this key or session, and everybody's for who administers keys.",
  scope: OWN,
  answers: { 200: { description: "Newest first.", schema: z.object({ agents: z.array(AgentAnswer) }) } },
  errors: {},
  example: { answer: { agents: [example] } },
  async run({ principal }, { stores }: AgentPorts) {
    const { tenantId, environment } = principal;
    const agents = isWhole(principal)
      ? await stores.connections.list({ tenantId, environment, personId: undefined })
      : await listOwn(principal, stores);
    return { agents: agents.map(describeAgent) };
  },
});

const endAgent = defineRoute({
  id: "disconnect_agent",
  method: "DELETE",
  path: "/api/connected-agents/:connectionId",
  tag: "account",
  summary: "Disconnect an agent",
  description: "Ends the agent's access and its tokens, at once. To connect it again, a person allows it again.",
  scope: OWN,
  params: z.object({ connectionId: z.string().regex(CONNECTION_ID) }),
  answers: {
    200: {
      description: "It is disconnected.",
      schema: z.object({ connectionId: z.string(), disconnected: z.literal(true) }),
    },
  },
  errors: { not_found: "No such agent is connected, or another person connected it." },
  example: { answer: { connectionId: example.connectionId, disconnected: true } },
  async run({ principal, params: { connectionId }, fail }, { stores, connectedAgents }: AgentPorts) {
    const { tenantId, environment, personId, serviceAccountId } = principal;
    const found = await stores.connections.find({ tenantId, environment }, connectionId);
    if (found === undefined || !(isWhole(principal) || found.personId === personId)) throw fail("not_found");
    await connectedAgents.end(found.keyId, personId ?? serviceAccountId);
    return { connectionId, disconnected: true as const };
  },
});

export const connectedAgentRoutes = [listAgents, endAgent];

/** Whether the caller sees everybody's: they could revoke every key. */
const isWhole = ({ scopes }: Principal): boolean => hasScope(scopes, ADMINISTERS_KEYS);

async function listOwn(
  { tenantId, environment, personId }: Principal,
  { connections }: AgentPorts["stores"],
): Promise<readonly ShownConnection[]> {
  return personId === undefined ? [] : await connections.list({ tenantId, environment, personId });
}

function describeAgent(agent: ShownConnection): z.output<typeof AgentAnswer> {
  return {
    connectionId: agent.id,
    name: agent.clientName,
    host: agent.clientHost ?? null,
    personId: agent.personId,
    personName: agent.personName,
    keyId: agent.keyId,
    resource: agent.resource,
    scopes: [...agent.scopes],
    createdAt: agent.createdAt.toString(),
    seenAt: agent.seenAt?.toString() ?? null,
    expiresAt: agent.expiresAt?.toString() ?? null,
  };
}
