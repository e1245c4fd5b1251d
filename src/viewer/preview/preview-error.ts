/** Reports that a file is not a preview, or that it is damaged. */
export class PreviewError extends Error {
  readonly code = 'PREVIEW_INVALID';

  constructor(reason: string, options?: ErrorOptions) {
    super(`Could not read the preview: ${reason}. Use a file of the operation preview.`, options);
    this.name = 'PreviewError';
  }
}
