#!/bin/sh
# Creates the secrets of compose.yaml in the folder "secrets", with random passwords. Stops if the folder exists.
set -eu
umask 077
mkdir secrets
password=$(openssl rand -hex 24)
key=$(openssl rand -hex 10)
secret=$(openssl rand -hex 24)

printf '%s' "$password" >secrets/database-password
# Without TLS, since the network of the containers is on one machine.
printf 'postgres://models:%s@database/models?sslmode=disable' "$password" >secrets/database-url
printf '[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n' "$key" "$secret" >secrets/s3-credentials
printf '{"identities":[{"name":"models","credentials":[{"accessKey":"%s","secretKey":"%s"}],"actions":["Admin"]}]}\n' \
  "$key" "$secret" >secrets/s3-server

# Compose mounts these files with their owner and mode. The user "node" of the image has to read them, and SeaweedFS its
# own, as the user "seaweed" (since its version 4): both are 1000.
chown 1000 secrets/database-url secrets/s3-credentials secrets/s3-server
