import { useNavigate } from "@tanstack/react-router";
import { boot, switchTo, tenantHeader } from "../boot.ts";
import { PAGES } from "../pages.ts";
import { findRecord } from "../parts/record-link.tsx";

/** One line of the finder. */
export interface Found {
  /** Not that of another line. */
  id: string;
  name: string;
  /** Further words by which it is found. */
  words?: string;
  open: () => void;
}

export interface FoundGroup {
  heading: string;
  found: readonly Found[];
}

/** Tools that people start with; their forms preview before they spend. */
const STARTED = [
  ["search_flights", "Search flights"],
  ["search_hotels", "Search hotels"],
  ["prefund_trip", "Fund a trip"],
  ["send_tokens", "Send money"],
] as const;

/** The record that the text is the id of, what can be done, and every page. */
export function useActions(text: string): readonly FoundGroup[] {
  const navigate = useNavigate();
  const record = findRecord(text);
  const others = boot.memberships.filter((one) => `${one.tenantId}/${one.environment}` !== tenantHeader);
  const actions: Found[] = [
    ...STARTED.map(([tool, name]) => ({
      id: `start ${tool}`,
      name,
      words: "do",
      open: () => void navigate({ to: "/playground", search: { tool } }),
    })),
    { id: "do key", name: "Make an API key", words: "new mint", open: () => void navigate({ to: "/settings/keys" }) },
    {
      id: "do invite",
      name: "Invite somebody",
      words: "member",
      open: () => void navigate({ to: "/settings/members" }),
    },
    {
      id: "do approve",
      name: "Decide approvals",
      words: "approve refuse",
      open: () => void navigate({ to: "/approvals", search: {} }),
    },
    {
      id: "do mine",
      name: "See what I have changed",
      words: "audit log own",
      open: () => void navigate({ to: "/audit", search: { actor: boot.memberships[0]?.personId ?? "" } }),
    },
    ...others.map((one) => ({
      id: `switch ${one.tenantId}/${one.environment}`,
      name: `Switch to ${one.tenantName}, ${one.environment}`,
      words: "tenant",
      open: () => switchTo(one),
    })),
  ];
  const read: Found[] = [
    { id: "read docs", name: "Documentation", open: () => location.assign("/docs") },
    { id: "read reference", name: "API reference", open: () => location.assign("/reference") },
  ];
  return [
    {
      heading: "By its id",
      found:
        record === undefined
          ? []
          : [{ id: `record ${text}`, name: record.name, words: text, open: () => void navigate(record.link) }],
    },
    { heading: "Actions", found: actions },
    {
      heading: "Pages",
      found: PAGES.map(({ to, label }) => ({ id: `page ${to}`, name: label, open: () => void navigate({ to }) })),
    },
    { heading: "Read", found: read },
  ];
}
