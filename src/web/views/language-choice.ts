import { createElement, createSelect } from '../dom.js';
import { language, setLanguage, texts } from '../texts/current.js';

const LANGUAGES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const;

/** Creates the choice of the language. `onChange` is called after another one was chosen. */
export function createLanguageChoice(onChange: () => void): HTMLElement {
  const select = createSelect(LANGUAGES, language(), (chosen) => {
    setLanguage(chosen === 'de' ? 'de' : 'en');
    onChange();
  });
  select.setAttribute('aria-label', texts().chooseLanguage);
  return createElement('div', { className: 'language' }, select);
}
