import type { FileRecord } from '../../api/index.js';
import {
  commonHeaders,
  createKey,
  createRequestError,
  currentSession,
  describeError,
  RequestError,
} from '../requests/requests.js';
import { fill, formatBytes, texts } from '../texts/current.js';
import type { FormatRules } from './formats.js';
import type { Retries } from './retries.js';

/** A file that is to be uploaded. */
export interface Upload {
  readonly id: string;
  readonly file: File;
  /** With the folders of the file, if a folder was chosen. */
  readonly filename: string;
  readonly unit: string | undefined;
  readonly key: string;
  state: 'waiting' | 'sending' | 'reconnecting' | 'failed' | 'stored';
  sentBytes: number;
  /** Why it was refused, in the language of the page. */
  describeProblem?: () => string;
  /** Whether it can succeed when it is tried again. */
  canRetry: boolean;
  fileId?: string;
}

/** Browsers open six connections to a host for all windows: two windows that upload leave some to what a person does. */
const CONCURRENT_UPLOADS = 2;
/** Progress is shown at most this often. */
const PROGRESS_INTERVAL_MS = 100;

interface UploadReply {
  fileId: string;
  creationDate: string;
}

/** Creates the error of an upload that did not reach the service. */
function connectionError(): RequestError {
  return new RequestError(0, 0, texts().errors.connection ?? '');
}

/** Sends one file. The browser reads it from the disk while it sends it. Throws `RequestError`. */
function sendFile(
  upload: Upload,
  onProgress: (sentBytes: number) => void,
  onStart: (request: XMLHttpRequest) => void,
): Promise<UploadReply> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch has no progress of uploads
    const session = currentSession();
    request.open('POST', 'web-api/operation/file');
    for (const [name, value] of Object.entries(commonHeaders())) request.setRequestHeader(name, value);
    request.setRequestHeader('Idempotency-Key', upload.key);
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(Math.min(loaded, upload.file.size)));
    request.addEventListener('load', () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText) as UploadReply);
      else reject(createRequestError(request.status, request.responseText, session));
    });
    request.addEventListener('error', () => reject(connectionError()));
    request.addEventListener('abort', () => reject(connectionError()));
    const form = new FormData();
    form.append('file', upload.file, upload.filename);
    onStart(request);
    request.send(form);
  });
}

/**
 * The files that are uploaded: two at a time, the others wait in the browser. An upload that does not reach the service is
 * tried again until it does, with the same idempotency key, so it is stored once. A refused one waits for a person.
 */
export class Uploads {
  readonly #uploads: Upload[] = [];
  readonly #requests = new Map<Upload, XMLHttpRequest>();
  readonly #rules: FormatRules;
  readonly #retries: Retries;
  readonly #onChange: () => void;
  readonly #onStored: (file: FileRecord, upload: Upload) => void;
  #runningCount = 0;
  #count = 0;
  #progressAt = 0;

  constructor(
    rules: FormatRules,
    retries: Retries,
    onChange: () => void,
    onStored: (file: FileRecord, upload: Upload) => void,
  ) {
    this.#rules = rules;
    this.#retries = retries;
    this.#onChange = onChange;
    this.#onStored = onStored;
  }

  /** Newest first. */
  get all(): readonly Upload[] {
    return this.#uploads;
  }

  get isActive(): boolean {
    return this.#uploads.some(({ state }) => state !== 'failed' && state !== 'stored');
  }

  /** Whether as many uploads run as may at a time. */
  get isFull(): boolean {
    return this.#runningCount >= CONCURRENT_UPLOADS;
  }

  find(id: string): Upload | undefined {
    return this.#uploads.find((upload) => upload.id === id);
  }

  /**
   * Adds files, in the order of their names. Those that are too large for the service are not sent. `unit`: that of
   * files that state none, or an empty text if it is not known.
   */
  add(files: readonly { file: File; filename: string }[], unit: string): Upload[] {
    const added = files.map(({ file, filename }): Upload => {
      this.#count += 1;
      const describeProblem = this.#findProblem(file);
      return {
        ...{ id: `upload-${this.#count}`, file, filename, key: createKey(), sentBytes: 0, canRetry: false },
        unit: this.#rules.hasUnit(filename) || unit === '' ? undefined : unit,
        state: describeProblem ? 'failed' : 'waiting',
        ...(describeProblem && { describeProblem }),
      };
    });
    this.#uploads.unshift(...added);
    this.#onChange();
    this.#fill();
    return added;
  }

  #findProblem(file: File): (() => string) | undefined {
    const { maxBytes } = this.#rules;
    if (file.size > maxBytes) return () => fill(texts().list.tooLarge, { size: formatBytes(maxBytes) });
    return undefined;
  }

  /** Tries a refused upload again. */
  retry(upload: Upload): void {
    upload.state = 'waiting';
    upload.sentBytes = 0;
    this.#onChange();
    this.#fill();
  }

  /** Ends an upload, and forgets it. */
  remove(upload: Upload): void {
    const index = this.#uploads.indexOf(upload);
    if (index >= 0) this.#uploads.splice(index, 1);
    upload.state = 'failed';
    this.#requests.get(upload)?.abort();
    this.#onChange();
  }

  /** Sends what was added while the session had ended. */
  resume(): void {
    this.#fill();
  }

  #fill(): void {
    while (this.#runningCount < CONCURRENT_UPLOADS && !this.#retries.isPaused) {
      const next = this.#uploads.findLast(({ state }) => state === 'waiting');
      if (!next) return;
      this.#runningCount += 1;
      void this.#run(next).finally(() => {
        this.#runningCount -= 1;
        this.#fill();
      });
    }
  }

  async #run(upload: Upload): Promise<void> {
    const isCurrent = (): boolean => this.#uploads.includes(upload);
    const onFailure = (): void => {
      upload.state = 'reconnecting';
      upload.sentBytes = 0;
      this.#onChange();
    };
    try {
      const reply = await this.#retries.run(() => this.#send(upload), { isCurrent, onFailure });
      if (reply) this.#store(upload, reply);
    } catch (error) {
      this.#refuse(upload, error);
    }
  }

  async #send(upload: Upload): Promise<UploadReply> {
    upload.state = 'sending';
    try {
      return await sendFile(
        upload,
        (bytes) => this.#onProgress(upload, bytes),
        (request) => this.#requests.set(upload, request),
      );
    } finally {
      this.#requests.delete(upload);
    }
  }

  #onProgress(upload: Upload, bytes: number): void {
    upload.sentBytes = bytes;
    const now = performance.now();
    if (now < this.#progressAt + PROGRESS_INTERVAL_MS) return;
    this.#progressAt = now;
    this.#onChange();
  }

  #store(upload: Upload, { fileId, creationDate }: UploadReply): void {
    upload.state = 'stored';
    upload.fileId = fileId;
    this.#uploads.splice(this.#uploads.indexOf(upload), 1);
    this.#onStored({ kind: 'file', fileId, creationDate, filename: upload.filename, size: upload.file.size }, upload);
  }

  #refuse(upload: Upload, error: unknown): void {
    upload.state = 'failed';
    upload.canRetry = true;
    upload.describeProblem = () => describeError(error);
    this.#onChange();
  }
}
