import { ServiceError } from '../../service-error.js';

/** Returns the error of a write whose object was deleted meanwhile. `expected`: the state that it should have. */
export function objectLostError(key: string, expected: string): ServiceError {
  return new ServiceError('STORAGE_UNAVAILABLE', 'The object of the file was deleted meanwhile. Retry later.', {
    retryAfterS: 1,
    cause: new Error(`The object ${key} is not ${expected}.`),
  });
}
