# Asks for one grant with requests-oauthlib: reads what to ask for as JSON on stdin, prints the tokens or the error code as JSON.
import json
import os
import sys

from oauthlib.oauth2 import LegacyApplicationClient, OAuth2Error
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # the service listens on 127.0.0.1, without TLS
asked = json.load(sys.stdin)
url = asked["baseUrl"] + "/Token"
auth = HTTPBasicAuth(asked["clientId"], asked["clientSecret"])
session = OAuth2Session(client=LegacyApplicationClient(client_id=asked["clientId"]))
try:
    if "refreshToken" in asked:
        tokens = session.refresh_token(url, refresh_token=asked["refreshToken"], auth=auth)
    else:
        tokens = session.fetch_token(url, username=asked["username"], password=asked["password"], auth=auth)
    print(json.dumps({"access": tokens["access_token"], "refresh": tokens["refresh_token"]}))
except OAuth2Error as error:
    print(json.dumps({"error": error.error}))
