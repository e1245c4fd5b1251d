/** The settings that a browser keeps. */
export interface Settings {
  language: 'en' | 'de';
  /** The unit of files of formats without one. */
  unit: string;
  /** The id of the user of the last sign-in; empty after a sign-out. Tells other tabs about both. */
  user: string;
}

const PREFIX = 'model-processing.';

/** Returns a setting, `undefined` if there is none, or the browser keeps nothing. */
export function readSetting<Name extends keyof Settings>(name: Name): Settings[Name] | undefined {
  try {
    return (localStorage.getItem(PREFIX + name) as Settings[Name] | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a setting, if the browser permits it. */
export function writeSetting<Name extends keyof Settings>(name: Name, value: Settings[Name]): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // The setting lasts until the page is closed.
  }
}

/** Calls a function when another tab changes a setting. */
export function onSettingChanged(name: keyof Settings, onChanged: (value: string) => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === PREFIX + name) onChanged(newValue ?? '');
  });
}
