import type { Decorators } from "../../../server/src/decorate.ts";
import type { Stores } from "../../../server/src/kernel/contracts/whole.ts";
import type { Workflow } from "../../../server/src/kernel/contracts/workflow.ts";
import type { News } from "../../../server/src/platform/database/news.ts";

/** Keeps a failed run's effects. */
export const withoutUndo = (workflows: readonly Workflow[]): readonly Workflow[] =>
  workflows.map((workflow) => ({
    ...workflow,
    run: (input, steps) => workflow.run(input, { ...bound(steps), undo: () => undefined }),
  }));

/** The members of a class's instance as those of a plain object. */
function bound(steps: Parameters<Workflow["run"]>[1]): Parameters<Workflow["run"]>[1] {
  const { run, call, step, approve, pause, undo, keep, leadBy, isSince } = steps;
  return { run, call, step, approve, pause, undo, keep, leadBy, isSince };
}

const YEARS_SECONDS = 1_000_000_000;

/** A run whose process has died is left to it. */
export function withoutTakeOver(stores: Stores): Stores {
  const { runs } = stores;
  return { ...stores, runs: { ...runs, lease: (workerId, limit) => runs.lease(workerId, limit, YEARS_SECONDS) } };
}

/** Every notification is lost, and nobody notices: timers find all work, later. Nothing may be lost, so this run must hold. */
export const withoutNotifications = (news: News): News => ({ ...news, on: () => () => undefined });

/**
 * The workflows as a later release has them: `service.book_flight` looks at the wallet before everything else and at the trip after
 * everything else. Runs that began before go their old way.
 */
export const nextVersion: NonNullable<Decorators["workflows"]> = (workflows) =>
  workflows.map((workflow) => {
    if (workflow.id !== "service.book_flight") return workflow;
    const version = workflow.version + 1;
    return {
      ...workflow,
      version,
      async run(input, steps) {
        if (!steps.isSince(version)) return await workflow.run(input, steps);
        await steps.call("check_treasury", {});
        const result = await workflow.run(input, steps);
        await steps.call("list_trips", {});
        return result;
      },
    };
  });
