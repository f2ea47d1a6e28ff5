import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { GetChannelAnswer, ListChannelsAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";

/** The page on which a person plays everybody who writes in the sandbox's channels. */
export function Carriers() {
  const channels = useQuery({
    queryKey: ["channels", "list"],
    queryFn: ({ signal }) => api<ListChannelsAnswer>("/api/channels", { signal }),
  });
  const simulated = (channels.data?.channels ?? []).filter((channel) => channel.isSimulated);
  const [first] = simulated;
  return (
    <Panel title="Carrier simulator">
      {channels.isPending && <Rows count={1} />}
      {channels.error !== null && <Problem error={channels.error} retry={() => void channels.refetch()} />}
      {channels.isSuccess && first === undefined && (
        <Empty>
          No channel speaks with it yet. <Link to="/channels">Add one</Link> without an app of your own.
        </Empty>
      )}
      {first !== undefined && (
        <>
          <p>Play the people who write by {simulated.map(({ name }) => name).join(", ")}.</p>
          <PlayLink channelId={first.id} />
        </>
      )}
    </Panel>
  );
}

function PlayLink({ channelId }: { channelId: string }) {
  const path = `/api/channels/${channelId}`;
  const channel = useQuery({
    queryKey: ["channels", channelId, "set-up"],
    queryFn: ({ signal }) => api<GetChannelAnswer>(path, { signal }),
  });
  const playUrl = channel.data?.setUp.playUrl ?? null;
  return (
    <>
      {channel.error !== null && <Problem error={channel.error} retry={() => void channel.refetch()} />}
      {playUrl !== null && (
        <a className="button plain" href={playUrl} target="_blank" rel="noreferrer">
          Open the simulator
        </a>
      )}
      <p className="quiet">It answers on the machine that runs the service, and its address is for you alone.</p>
    </>
  );
}
