import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { GetOrdersAnswer, GetTripsAnswer, ListWorkflowRunsAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { sayDays } from "../parts/time.tsx";
import { readTools } from "../playground/tools.ts";
import { sayWorkflow } from "../runs/run-status.tsx";
import { sayRoute } from "../trips/states.tsx";
import type { FoundGroup } from "./actions.ts";

const FRESH_MILLISECONDS = 30_000;

interface Members {
  members: readonly { memberId: string; name: string; email: string }[];
}

/** The newest records of each list, read while the finder is open. What the roles do not include is left out. */
function useNewest<Answer>(name: string, path: string): Answer | undefined {
  return useQuery({
    queryKey: ["found", name],
    queryFn: ({ signal }) => api<Answer>(path, { signal }),
    staleTime: FRESH_MILLISECONDS,
    retry: false,
  }).data;
}

/** Records and tools by their names. */
export function useFound(): readonly FoundGroup[] {
  const navigate = useNavigate();
  const orders = useNewest<GetOrdersAnswer>("orders", "/api/orders?limit=100")?.orders ?? [];
  const trips = useNewest<GetTripsAnswer>("trips", "/api/trips?limit=100")?.trips ?? [];
  const runs = useNewest<ListWorkflowRunsAnswer>("runs", "/api/workflows/runs?limit=50")?.runs ?? [];
  const people = useNewest<Members>("members", "/api/members")?.members ?? [];
  const tools = useQuery({
    queryKey: ["tools"],
    queryFn: ({ signal }) => readTools(signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return [
    {
      heading: "Bookings",
      found: orders.map(({ orderId, what, kind, pnr, startsOn, endsOn, travelers }) => ({
        id: `order ${orderId}`,
        name: `${what === null ? kind : sayRoute(what)}, ${sayDays(startsOn, endsOn)}`,
        words: [orderId, pnr, ...travelers.map((one) => `${one.givenName} ${one.familyName}`)].join(" "),
        open: () => void navigate({ to: "/trips/orders/$orderId", params: { orderId } }),
      })),
    },
    {
      heading: "Trips",
      found: trips.map(({ tripId, tripSummary }) => ({
        id: `trip ${tripId}`,
        name: tripSummary ?? `Trip ${tripId.slice(2, 10)}`,
        words: tripId,
        open: () => void navigate({ to: "/trips/budgets/$tripId", params: { tripId } }),
      })),
    },
    {
      heading: "Runs",
      found: runs.map(({ runId, workflowId, status }) => ({
        id: `run ${runId}`,
        name: `${sayWorkflow(workflowId)}, ${status}, ${runId.slice(-6)}`,
        words: runId,
        open: () => void navigate({ to: "/runs/$runId", params: { runId } }),
      })),
    },
    {
      heading: "People",
      found: people.map(({ memberId, name, email }) => ({
        id: `person ${memberId}`,
        name: `${name}, ${email}`,
        words: memberId,
        open: () => void navigate({ to: "/audit", search: { actor: memberId } }),
      })),
    },
    {
      heading: "Tools",
      found: (tools.data ?? []).map(({ name, title, area }) => ({
        id: `tool ${name}`,
        name: title,
        words: `${name} ${area}`,
        open: () => void navigate({ to: "/playground", search: { tool: name } }),
      })),
    },
  ];
}
