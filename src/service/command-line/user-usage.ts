/** The `--help` text of `user`. */
export const USER_USAGE = `model-processing user add|password|remove NAME
model-processing user list
Manages the users of a local service, which may be running.

  --data DIR          data folder of the service (~/.model-processing)

add and password prompt for the password, or read it from the first line of stdin.`;
