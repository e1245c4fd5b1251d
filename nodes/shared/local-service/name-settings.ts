/** Option of the service program → the property of `modelProcessing` in settings.js that has its value. */
const SETTINGS: Readonly<Record<string, string>> = {
  '--data': 'dataDir',
  '--keep-days': 'keepDays',
  '--disk-quota': 'diskQuota',
  '--workers': 'workers',
  '--memory': 'memory',
  '--sandbox': 'sandbox',
};

/** An option in a text. The name of a file may contain the same characters. */
const OPTION = /(?<![^\s("])--[a-z]+(?:-[a-z]+)*(?![\w/-]|\.\w)/g;

/**
 * Returns a message of the local service with the settings that a user of Node-RED can change, instead of options of its
 * command line. Advice on options without a setting is omitted if there is other advice. `format`: of the name of a
 * setting. Default: with the place where it is set.
 */
export function nameSettings(
  message: string,
  format = (name: string) => `modelProcessing.${name} in settings.js`,
): string {
  const settable = message.replace(/, or (?:raise|lower) (--[a-z-]+)(?=\.(?:\s|$))/g, (advice, option: string) =>
    Object.hasOwn(SETTINGS, option) ? advice : '',
  );
  return settable.replace(OPTION, (option) => {
    const name = Object.hasOwn(SETTINGS, option) ? SETTINGS[option] : undefined;
    return name === undefined ? option : format(name);
  });
}

/** Returns a message of a remote service, which says of options of its command line who can change them. */
export function nameOperator(message: string): string {
  return message.replace(OPTION, (option) => `${option} (an option for the operator of the service)`);
}
