import { type FileHandle, open } from "node:fs/promises";
import { segmentPath } from "./chain-files.ts";
import { type LogRecord, toLine } from "./log-lines.ts";

/** The record is not in the log, and the log is as it was. */
export class LogFullError extends Error {
  override name = "LogFullError";
}

interface WriteAheadLog {
  /** Resolves when the record survives a power cut. LogFullError: nothing was written. Any other error: nobody knows. */
  append(record: LogRecord): Promise<void>;
  close(): Promise<void>;
}

export type OpenLog = (folder: string, segment: number, bytes: number) => Promise<WriteAheadLog>;

const writeAll = async (file: FileHandle, content: Buffer, position: number): Promise<void> => {
  for (let done = 0; done < content.length; ) {
    const { bytesWritten } = await file.write(content, done, content.length - done, position + done);
    done += bytesWritten;
  }
};

/** @param bytes how much of the segment is good; what follows was cut off by a crash and goes away. */
export const openLog: OpenLog = async (folder, segment, bytes) => {
  const file = await open(segmentPath(folder, segment), "r+");
  let end = bytes;
  const cutBack = async (): Promise<void> => {
    await file.truncate(end);
    await file.datasync();
  };
  await cutBack();
  return {
    async append(record) {
      const content = Buffer.from(toLine(record));
      try {
        await writeAll(file, content, end);
      } catch (error) {
        await cutBack();
        throw new LogFullError(error instanceof Error ? error.message : String(error));
      }
      // After a failed sync the system may have dropped the pages: that error is not caught here.
      await file.datasync();
      end += content.length;
    },
    close: () => file.close(),
  };
};
