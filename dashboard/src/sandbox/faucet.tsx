import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { GetTreasuryAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Panel, Problem } from "../parts/states.tsx";

const PATH = "/api/agent/dispatch";
const CHAINS = [
  ["ARC-TESTNET", "Arc, development chain"],
  ["ETH-SEPOLIA", "Ethereum Sepolia, development chain"],
  ["AVAX-FUJI", "Avalanche Fuji, development chain"],
  ["MATIC-AMOY", "Polygon Amoy, development chain"],
] as const;

/** Money of the development chains, by the tool that agents call, too. */
export function Faucet() {
  const queries = useQueryClient();
  const [blockchain, setBlockchain] = useState<string>("ARC-TESTNET");
  const [token, setToken] = useState("USDC");
  const [written, setWritten] = useState("");
  const treasury = useQuery({
    queryKey: ["treasury"],
    queryFn: ({ signal }) => api<GetTreasuryAnswer>("/api/treasury", { signal }),
  });
  const address = written === "" ? (treasury.data?.address ?? "") : written;
  const body = { tool: "faucet_drip", args: { address, blockchain, token } };
  const drip = useMutation({
    mutationFn: () => api(PATH, { method: "POST", body }),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Panel title="Faucet">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          drip.mutate();
        }}
      >
        <div className="pairs">
          <label>
            Token
            <select value={token} onChange={({ target }) => setToken(target.value)}>
              <option>USDC</option>
              <option>EURC</option>
            </select>
          </label>
          <label>
            Chain
            <select value={blockchain} onChange={({ target }) => setBlockchain(target.value)}>
              {CHAINS.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        </div>
        <label htmlFor="faucet-address">To the address</label>
        <input
          id="faucet-address"
          className="mono"
          required
          pattern="0x[0-9a-fA-F]{40}"
          value={address}
          onChange={({ target }) => setWritten(target.value)}
        />
        <p className="quiet">Left alone, it is your wallet. The call costs 0.005 USDC; the money is worth nothing.</p>
        {drip.error !== null && <Problem error={drip.error} />}
        {drip.isSuccess && <p role="status">It is there.</p>}
        <div className="buttons">
          <button type="submit" className="plain" disabled={drip.isPending || address === ""}>
            {drip.isPending ? "Dripping" : "Drip"}
          </button>
        </div>
        <ApiCall calls={[{ method: "POST", path: PATH, body }]} />
      </form>
    </Panel>
  );
}
