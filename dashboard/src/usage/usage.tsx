import { Link } from "@tanstack/react-router";
import { useRowKeys } from "../parts/keyboard.ts";
import { Cap } from "./cap.tsx";
import { Days } from "./days.tsx";
import { Failures } from "./failures.tsx";
import { Groups } from "./groups.tsx";
import { Records } from "./records.tsx";

export function Usage() {
  useRowKeys();
  return (
    <>
      <h1>Usage</h1>
      <Cap />
      <div className="columns">
        <div>
          <Days />
          <Failures />
        </div>
        <div>
          <Groups />
          <p className="quiet">
            More limits: <Link to="/settings/keys">those of each key</Link> and <Link to="/policy">budgets</Link>.
          </p>
        </div>
      </div>
      <Records />
    </>
  );
}
