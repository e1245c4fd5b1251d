import type { OperationStatus, Report, SolidityLevel } from '../../api/index.js';
import { RequestError, requestJson } from '../requests/requests.js';
import { requestLevels } from './service-lists.js';

/** The operations whose levels one request asks for. */
const LEVELS_SIZE = 100;

/** The reports of operations, and the levels of their verdicts. Each is requested once, when it is first needed. */
export class Reports {
  /** Operation → its report; `undefined` if it has none. */
  readonly #reports = new Map<string, Report | undefined>();
  readonly #loadingReports = new Set<string>();
  /** Operation → the level of its verdict; `undefined` if it has none. */
  readonly #levels = new Map<string, SolidityLevel | undefined>();
  readonly #wantedLevels = new Set<string>();
  #isRequestingLevels: boolean = false;
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Adds what the service has sent. */
  add(operationId: string, report: Report | undefined): void {
    this.#reports.set(operationId, report);
    this.#levels.set(operationId, report?.verdict.level);
  }

  /** Returns the report of an operation, which it requests first: `undefined` until then, and if there is none. */
  findReport(operationId: string): Report | undefined {
    if (!this.#reports.has(operationId) && !this.#loadingReports.has(operationId)) void this.#loadReport(operationId);
    return this.#reports.get(operationId);
  }

  /** Returns the level of the verdict of an operation, as `findReport`. Asks for those of many operations at once. */
  findLevel(operationId: string): SolidityLevel | undefined {
    if (!this.#levels.has(operationId)) {
      this.#wantedLevels.add(operationId);
      if (!this.#isRequestingLevels) void this.#loadLevels();
    }
    return this.#levels.get(operationId);
  }

  async #loadReport(operationId: string): Promise<void> {
    this.#loadingReports.add(operationId);
    try {
      const { report } = await requestJson<OperationStatus>(`web-api/operation/${operationId}/status`);
      this.add(operationId, report);
      this.#onChange();
    } catch (error) {
      if (error instanceof RequestError && error.isMissing) this.add(operationId, undefined);
    } finally {
      this.#loadingReports.delete(operationId);
    }
  }

  async #loadLevels(): Promise<void> {
    this.#isRequestingLevels = true;
    await Promise.resolve(); // the operations of a whole update
    try {
      while (this.#wantedLevels.size > 0) {
        const ids = [...this.#wantedLevels].slice(0, LEVELS_SIZE);
        const levels = await requestLevels(ids);
        for (const id of ids) {
          this.#wantedLevels.delete(id);
          if (!this.#levels.has(id)) this.#levels.set(id, levels[id] ?? undefined);
        }
        this.#onChange();
      }
    } catch {
      this.#wantedLevels.clear(); // the next update asks for them again
    }
    this.#isRequestingLevels = false;
  }
}
