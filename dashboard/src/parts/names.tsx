import { useQuery } from "@tanstack/react-query";
import { api, type Key } from "../api.ts";
import { member } from "../boot.ts";

interface Profile {
  givenName?: string;
  familyName?: string;
}

interface Member {
  memberId: string;
  name: string;
}

const HOUR_MILLISECONDS = 3_600_000;
const ONCE = { staleTime: HOUR_MILLISECONDS, retry: false } as const;

/** A key's name, or a person's: as far as the roles of the viewer let them be read, else the id. */
export function Named({ id, hasProfile = false }: { id: string; hasProfile?: boolean }) {
  return id.startsWith("svc:") ? (
    <KeyName id={id.slice("svc:".length)} />
  ) : (
    <PersonName id={id} hasProfile={hasProfile} />
  );
}

const readsKeys = member.roles.some((role) => ["admin", "owner", "developer"].includes(role));
const readsMembers = member.roles.some((role) => ["admin", "owner"].includes(role));

function KeyName({ id }: { id: string }) {
  const keys = useQuery({
    queryKey: ["keys", "names"],
    queryFn: ({ signal }) => api<{ keys: readonly Key[] }>("/api/keys", { signal }),
    enabled: readsKeys,
    ...ONCE,
  });
  const key = keys.data?.keys.find(({ keyId }) => keyId === id);
  return key === undefined ? `an agent’s key, …${id.slice(-6)}` : `${key.name} (an agent’s key)`;
}

/** A profile has the name that a ticket shows; one that may not exist is asked for last. */
function PersonName({ id, hasProfile }: { id: string; hasProfile: boolean }) {
  const members = useQuery({
    queryKey: ["members", "names"],
    queryFn: ({ signal }) => api<{ members: readonly Member[] }>("/api/members", { signal }),
    enabled: readsMembers,
    ...ONCE,
  });
  const known = id === member.personId ? member.name : members.data?.members.find((one) => one.memberId === id)?.name;
  const profile = useQuery({
    queryKey: ["traveler name", id],
    queryFn: async ({ signal }) => {
      const path = `/api/travelers/${encodeURIComponent(id)}`;
      const { givenName = "", familyName = "" } = await api<Profile>(path, { signal });
      return `${givenName} ${familyName}`.trim();
    },
    enabled: hasProfile || (known === undefined && !(readsMembers && members.isPending)),
    ...ONCE,
  });
  return <span title={id}>{profile.data || (known ?? id)}</span>;
}

/** Several, as a sentence lists them. */
export function Names({ ids, haveProfiles = false }: { ids: readonly string[]; haveProfiles?: boolean }) {
  return ids.map((id, at) => (
    <span key={id}>
      {at > 0 && ", "}
      <Named id={id} hasProfile={haveProfiles} />
    </span>
  ));
}
