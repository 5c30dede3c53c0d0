import { useSignalEffect } from '@preact/signals';
import { apiUrl, type Problems } from '../api/index.ts';
import { trafficEvents, useLive } from '../live/index.ts';
import { language } from '../text/index.ts';
import { CurrentPage } from './current-page.tsx';
import { Frame } from './frame.tsx';
import { liveProblems } from './verdict.ts';

const problemsUrl = apiUrl('/v1/problems', { limit: 50 });

export function App() {
  liveProblems.value = useLive<Problems>(problemsUrl, { on: trafficEvents });
  useSignalEffect(() => {
    document.documentElement.lang = language.value;
  });
  return (
    <Frame>
      <CurrentPage />
    </Frame>
  );
}
