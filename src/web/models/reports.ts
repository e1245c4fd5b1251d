import type { OperationStatus, Report, VerdictSummary } from '../../api/index.js';
import { RequestError, requestJson } from '../requests/requests.js';
import { requestVerdicts } from './service-lists.js';

/** The operations whose verdicts one request asks for. */
const VERDICTS_SIZE = 100;

/** The reports of operations, and their verdicts alone. Each is requested once, when it is first needed. */
export class Reports {
  /** Operation → its report; `undefined` if it has none. */
  readonly #reports = new Map<string, Report | undefined>();
  readonly #loadingReports = new Set<string>();
  /** Operation → its verdict; `undefined` if it has none. */
  readonly #verdicts = new Map<string, VerdictSummary | undefined>();
  readonly #wantedVerdicts = new Set<string>();
  #isRequestingVerdicts: boolean = false;
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Adds what the service has sent. */
  add(operationId: string, report: Report | undefined): void {
    this.#reports.set(operationId, report);
    this.#verdicts.set(operationId, report?.verdict);
  }

  /** Returns the report of an operation, which it requests first: `undefined` until then, and if there is none. */
  findReport(operationId: string): Report | undefined {
    if (!this.#reports.has(operationId) && !this.#loadingReports.has(operationId)) void this.#loadReport(operationId);
    return this.#reports.get(operationId);
  }

  /** Returns the verdict of an operation, as `findReport`. Asks for those of many operations at once. */
  findVerdict(operationId: string): VerdictSummary | undefined {
    if (!this.#verdicts.has(operationId)) {
      this.#wantedVerdicts.add(operationId);
      if (!this.#isRequestingVerdicts) void this.#loadVerdicts();
    }
    return this.#verdicts.get(operationId);
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

  async #loadVerdicts(): Promise<void> {
    this.#isRequestingVerdicts = true;
    await Promise.resolve(); // the operations of a whole update
    try {
      while (this.#wantedVerdicts.size > 0) {
        const ids = [...this.#wantedVerdicts].slice(0, VERDICTS_SIZE);
        const verdicts = await requestVerdicts(ids);
        for (const id of ids) {
          this.#wantedVerdicts.delete(id);
          if (!this.#verdicts.has(id)) this.#verdicts.set(id, verdicts[id] ?? undefined);
        }
        this.#onChange();
      }
    } catch {
      this.#wantedVerdicts.clear(); // the next update asks for them again
    }
    this.#isRequestingVerdicts = false;
  }
}
