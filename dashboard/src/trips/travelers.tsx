import { useQuery } from "@tanstack/react-query";
import type { GetOrderAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { Empty, Panel } from "../parts/states.tsx";

type Traveler = GetOrderAnswer["travelers"][number];

interface Profile {
  bornOn?: string;
  passports?: readonly { nationality: string; number: string; expiresOn: string }[];
}

export function Travelers({ travelers }: { travelers: readonly Traveler[] }) {
  return (
    <Panel title="Travelers">
      {travelers.length === 0 && <Empty>The booking names nobody.</Empty>}
      <ul className="list plain-list">
        {travelers.map((traveler) => (
          <li key={traveler.userId ?? `${traveler.givenName} ${traveler.familyName}`}>
            <span>
              {traveler.givenName} {traveler.familyName}
            </span>
            {traveler.userId === undefined ? <span /> : <Passport userId={traveler.userId} />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const KEPT = 2;

/** The number's last two characters, which tell one passport from another. The whole number stays out of the page. */
function Passport({ userId }: { userId: string }) {
  const profile = useQuery({
    queryKey: ["traveler", userId],
    queryFn: async ({ signal }) => {
      const { passports = [] } = await api<Profile>(`/api/travelers/${encodeURIComponent(userId)}`, { signal });
      return passports.map(({ nationality, number, expiresOn }) => ({
        nationality,
        ends: number.slice(-KEPT),
        expiresOn,
      }));
    },
    retry: false,
  });
  const [passport] = profile.data ?? [];
  if (passport === undefined) return <span className="quiet">{profile.isSuccess ? "no passport stored" : ""}</span>;
  return (
    <span className="quiet">
      {passport.nationality} passport <span className="mono">•••{passport.ends}</span>, until {passport.expiresOn}
    </span>
  );
}
