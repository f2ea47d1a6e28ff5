import type { MailPlace } from "../mail/mailbox.ts";
import type { SlackWorkspace } from "../slack/workspace.ts";
import type { WhatsAppAccount } from "../whatsapp/account.ts";

/** All that one tenant tries out. Nothing of it outlives the process. */
export interface Playground {
  readonly id: string;
  /** Opens the page. */
  readonly secret: string;
  slack: SlackWorkspace | undefined;
  whatsapp: WhatsAppAccount | undefined;
  email: MailPlace | undefined;
  /** Tells open pages that something has changed. */
  changed(): void;
  /** Returns what ends it. */
  watch(listener: () => void): () => void;
}

const MOST_PLAYGROUNDS = 10_000;

/** The playgrounds by id; the longest unused ones make room for new ones. */
export function createPlaygrounds() {
  const byId = new Map<string, Playground>();

  function make(id: string, secret: string): Playground {
    const listeners = new Set<() => void>();
    return {
      id,
      secret,
      slack: undefined,
      whatsapp: undefined,
      email: undefined,
      changed() {
        for (const listener of listeners) listener();
      },
      watch(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }

  return {
    open(id: string, secret: string): Playground {
      const known = byId.get(id);
      const playground = known?.secret === secret ? known : make(id, secret);
      byId.delete(id);
      byId.set(id, playground);
      for (const [oldest] of byId) {
        if (byId.size <= MOST_PLAYGROUNDS) break;
        byId.delete(oldest);
      }
      return playground;
    },
    find: (id: string) => byId.get(id),
    findBySecret: (secret: string) => [...byId.values()].find((one) => one.secret === secret),
    findSlack: (fits: (workspace: SlackWorkspace) => boolean) =>
      [...byId.values()].find(({ slack }) => slack !== undefined && fits(slack)),
    findWhatsApp: (fits: (account: WhatsAppAccount) => boolean) =>
      [...byId.values()].find(({ whatsapp }) => whatsapp !== undefined && fits(whatsapp)),
  };
}

export type Playgrounds = ReturnType<typeof createPlaygrounds>;
