import { Link, type LinkProps } from "@tanstack/react-router";

/** The page that shows a record, by its id. */
export function findRecord(
  id: string,
): { name: string; link: Pick<LinkProps, "to" | "params" | "search"> } | undefined {
  if (/^(ord|bok)_\w{10,}$/.test(id)) {
    return { name: `Booking ${id}`, link: { to: "/trips/orders/$orderId", params: { orderId: id } } };
  }
  if (/^run_\w{10,}$/.test(id)) return { name: `Run ${id}`, link: { to: "/runs/$runId", params: { runId: id } } };
  if (/^0x[0-9a-fA-F]{64}$/.test(id)) {
    return { name: `Trip ${id.slice(0, 10)}`, link: { to: "/trips/budgets/$tripId", params: { tripId: id } } };
  }
  if (/^key_\w{10,}$/.test(id)) return { name: "API keys", link: { to: "/settings/keys" } };
  if (/^apr_\w{10,}$/.test(id)) return { name: "Approvals", link: { to: "/approvals", search: {} } };
  return undefined;
}

/** An id, which leads to the page of its record where there is one. */
export function RecordLink({ id }: { id: string }) {
  const found = findRecord(id);
  if (found === undefined) return <span className="mono">{id}</span>;
  return (
    <Link {...found.link} className="mono">
      {id}
    </Link>
  );
}
