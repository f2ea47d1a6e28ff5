import { useMutation } from "@tanstack/react-query";
import type { GetOrderAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Problem } from "../parts/states.tsx";

interface Drawn {
  result: { map: { svgUrl: string; widthPixels: number; heightPixels: number } | null; mapNote: string | null };
}

/** A call of a tool, which has its price: nobody pays for looking at a page. */
export function RouteMap({ order: { slices } }: { order: GetOrderAnswer }) {
  const codes = slices.flatMap(({ segments }) => segments.flatMap(({ origin, destination }) => [origin, destination]));
  const stops = codes.filter((code, at) => code !== codes[at - 1]);
  const body = {
    tool: "export_route_map",
    args: { mode: "transit", stops: stops.map((code) => ({ address: code, label: code })) },
  };
  const map = useMutation({
    mutationFn: () => api<Drawn>("/api/agent/dispatch", { method: "POST", body }),
  });
  const drawn = map.data?.result;
  return (
    <>
      {map.error !== null && <Problem error={map.error} />}
      {drawn?.map != null ? (
        <img
          className="map"
          src={new URL(drawn.map.svgUrl).pathname}
          width={drawn.map.widthPixels}
          height={drawn.map.heightPixels}
          alt={`Map of the route ${stops.join(", ")}`}
        />
      ) : (
        <div className="buttons">
          <button type="button" className="plain small" disabled={map.isPending} onClick={() => map.mutate()}>
            Draw the map (0.003 USDC)
          </button>
        </div>
      )}
      {drawn?.mapNote != null && <p className="quiet">{drawn.mapNote}</p>}
      <ApiCall calls={[{ method: "POST", path: "/api/agent/dispatch", body }]} />
    </>
  );
}
