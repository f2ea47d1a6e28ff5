import { LOOPBACK } from "../free-port.ts";

export interface ServerSettings {
  port: number;
  /** False only for temporary test servers: acknowledged data is then lost in a power cut. */
  fsync: boolean;
}

/** Passed on the command line, so that the running version of Wayfare decides rather than an older version's file. */
export const serverArguments = ({ port, fsync }: ServerSettings): string[] =>
  Object.entries({
    listen_addresses: LOOPBACK,
    port,
    unix_socket_directories: "",
    max_connections: 200,
    password_encryption: "scram-sha-256",
    fsync: fsync ? "on" : "off",
    synchronous_commit: fsync ? "on" : "off",
    // A commit is as durable as by default, with one system call instead of two.
    wal_sync_method: "open_datasync",
    update_process_title: "off",
    full_page_writes: fsync ? "on" : "off",
    // Small: one machine, one service. No replicas, so no write-ahead log for them.
    shared_buffers: "64MB",
    wal_level: "minimal",
    max_wal_senders: 0,
    max_wal_size: "512MB",
    io_method: "sync",
    max_worker_processes: 2,
    max_parallel_workers: 2,
    max_logical_replication_workers: 0,
    jit: "off",
    timezone: "UTC",
    log_timezone: "UTC",
    lc_messages: "C",
    log_destination: "stderr",
    logging_collector: "off",
    log_checkpoints: "off",
    // "log" omits errors of single statements: they belong to the caller's log, and statements may contain personal data. The
    // server's own messages stay.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_line_prefix: "%m [%p] ",
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** The C locale exists everywhere; Unicode sorting and letter case come with PostgreSQL itself. */
export const initArguments = (dataFolder: string, user: string, passwordFile: string): string[] => [
  `--pgdata=${dataFolder}`,
  `--username=${user}`,
  `--pwfile=${passwordFile}`,
  "--auth=scram-sha-256",
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--data-checksums",
  "--no-instructions",
];
