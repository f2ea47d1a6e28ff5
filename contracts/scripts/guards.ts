/** A file below contracts/src, and in it the text of each guard with what stands there without it. The text occurs once. */
type Guards = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Guards, and how the files of the suites that must notice begin below contracts/test. */
interface GuardGroup {
  suites: readonly string[];
  guards: Guards;
}

const bridge: GuardGroup = {
  suites: ["Message", "TokenMessenger", "SignedBurns", "invariants/Bridge"],
  guards: {
    "bridge/MessageTransmitterV2.sol": {
      "usedNonces[header.nonce] = NONCE_USED;": "",
      'require(usedNonces[header.nonce] == 0, "Nonce already used");': "",
      "_requireAttested(message, attestation);": "",
      'require(header.destinationDomain == localDomain, "Invalid destination domain");': "",
      "if (header.destinationCaller != bytes32(0)) {": "if (false) {",
      'require(header.version == version, "Invalid message version");': "",
      "usedNonces[bytes32(0)] = NONCE_USED;": "",
      "finality < FINALITY_THRESHOLD_FINALIZED": "finality <= FINALITY_THRESHOLD_FINALIZED",
      'require(destinationDomain != localDomain, "Domain is local domain");': "",
    },
    "bridge/AttestableV2.sol": {
      "require(attester > latest,": "require(attester >= latest,",
      'require(isEnabledAttester(attester), "Invalid signature: not attester");': "",
      "attestation.length == SIGNATURE_LENGTH * threshold":
        "attestation.length % (SIGNATURE_LENGTH + 0 * threshold) == 0",
      "_places[last] = place;": "",
      'require(number > signatureThreshold, "Signature threshold is too low");': "",
    },
    "bridge/TokenMessengerV2.sol": {
      'require(msg.sender == address(localMessageTransmitter), "Invalid message transmitter");': "",
      "remoteTokenMessengers[remoteDomain] == sender": "true",
      "sender != bytes32(0) && ": "",
      "burn.expirationBlock > block.number": "burn.expirationBlock >= block.number",
      'require(fee == 0 || fee < burn.amount, "Fee equals or exceeds amount");': "",
      'require(fee <= burn.maxFee, "Fee exceeds max fee");': "",
      "uint256 amount = burn.amount - fee;": "uint256 amount = burn.amount;",
      "finalityThresholdExecuted >= LEAST_FINALITY_THRESHOLD": "finalityThresholdExecuted > LEAST_FINALITY_THRESHOLD",
      "_requireMinFee(deposit.amount, deposit.maxFee);": "",
      "deposit.maxFee < deposit.amount": "deposit.maxFee <= deposit.amount",
      "minter.burn(deposit.burnToken, deposit.amount);": "",
      "if (msg.sender != tx.origin) _requireNotDenylisted(tx.origin);": "",
    },
    "bridge/TokenMinterV2.sol": {
      "burnAmount <= limit": "burnAmount <= limit + 1",
      'require(limit > 0, "Burn token not supported");': "",
      'require(msg.sender == localTokenMessenger, "Caller not local TokenMessenger");': "",
      "uint256 burnAmount) external whenNotPaused": "uint256 burnAmount) external",
    },
    "bridge/SignedBurns.sol": {
      "address(this), payer, terms)": "address(this), terms)",
      "if (balanceAfter != balanceBefore) revert MoneyLeftOver(balanceBefore, balanceAfter);": "",
    },
    "bridge/BurnMessageV2.sol": {
      "burn.feeExecuted = uint256(bytes32(body[164:196]));": "burn.feeExecuted = burn.maxFee;",
    },
    "bridge/PausableByOperator.sol": {
      'require(msg.sender == pauser, "Pausable: caller is not the pauser");': "",
    },
  },
};

const gateway: GuardGroup = {
  suites: ["Gateway", "invariants/Gateway"],
  guards: {
    "gateway/GatewayCommon.sol": {
      "if (isTransferSpecHashUsed[transferSpecHash]) revert TransferSpecHashUsed(transferSpecHash);": "",
      "isTransferSpecHashUsed[transferSpecHash] = true;": "",
      "if (msg.sender != pauser) revert UnauthorizedPauser(msg.sender);": "",
    },
    "gateway/GatewayBalances.sol": {
      "if (withdrawalBlock[token][msg.sender] > block.number) revert WithdrawalNotYetAvailable();": "",
      "withdrawalBlock[token][msg.sender] > block.number": "withdrawalBlock[token][msg.sender] >= block.number",
      "withdrawingBalance[token][msg.sender] = 0;": "",
      "availableBalance[token][msg.sender] = available - value;": "",
      "withdrawalBlock[token][msg.sender] = atBlock;": "",
      "function withdraw(address token) external": "function withdraw(address token) external whenNotPaused",
      "function initiateWithdrawal(address token, uint256 value) external":
        "function initiateWithdrawal(address token, uint256 value) external whenNotPaused",
      "if (newDelay > MOST_WITHDRAWAL_DELAY) revert WithdrawalDelayTooLong(newDelay);": "",
      "account != depositor && _delegates[token][depositor][account] == Delegate.Never": "false",
      "_delegates[token][depositor][account] == Delegate.Never":
        "_delegates[token][depositor][account] != Delegate.Authorized",
      "if (_delegates[token][msg.sender][delegate] != Delegate.Authorized) return;": "",
      "withdrawingBalance[token][depositor] = withdrawing - fromWithdrawing;": "",
      "if (IBlockList(token).isBlacklisted(depositor)) revert DepositorIsBlacklisted(depositor);": "",
    },
    "gateway/GatewayWallet.sol": {
      "if (!isBurnSigner[ECDSA.recoverCalldata(digest, signature)]) revert InvalidBurnSigner();": "",
      "if (spec.sourceDomain != domain) return;": "",
      "if (sourceContract != address(this)) {": "if (false) {",
      "if (!isTokenSupported[token]) revert UnsupportedTokenAtIndex(index, token);": "",
      "if (sourceSigner != signer) revert InvalidIntentSourceSignerAtIndex(index, sourceSigner, signer);": "",
      "_requireEverAuthorized(token, spec.sourceDepositor.unpad(), signer);": "",
      "intent.maxBlockHeight < block.number": "intent.maxBlockHeight <= block.number",
      "if (intent.maxFee < fee) revert BurnFeeTooHighAtIndex(index, intent.maxFee, fee);": "",
      "if (burn.token != token) revert NotAllSameToken();": "",
      "value = deducted < spec.value ? deducted : spec.value;": "value = deducted < fee ? 0 : deducted - fee;",
      "if (spec.value == 0) revert IntentValueMustBePositiveAtIndex(index);": "",
      "bytes calldata signature) external whenNotPaused": "bytes calldata signature) external",
      "if (burn.fee > 0) IERC20(burn.token).safeTransfer(feeRecipient, burn.fee);": "",
    },
    "gateway/GatewayMinter.sol": {
      "if (!isAttestationSigner[ECDSA.recoverCalldata(digest, signature)]) revert InvalidAttestationSigner();": "",
      "attestation.maxBlockHeight < block.number": "attestation.maxBlockHeight <= block.number",
      "if (caller != address(0) && caller != msg.sender) {": "if (false) {",
      "if (spec.destinationDomain != domain) {": "if (false) {",
      "if (destination != address(this)) {": "if (false) {",
      "spec.sourceDomain == domain && sourceToken != token": "false",
    },
    "gateway/TransferPayloads.sol": {
      "structHash = isSet ? _hashSet(hashes) : hashes[0];": "structHash = isSet ? hashes[0] : hashes[0];",
      "if (payload.length != length) revert TransferPayloadOverallLengthMismatch(length, payload.length);": "",
    },
    "gateway/TransferSpecs.sol": {
      "if (data.length != length) revert TransferSpecOverallLengthMismatch(length, data.length);": "",
    },
  },
};

const swap: GuardGroup = {
  suites: ["SwapPool", "invariants/SwapPool"],
  guards: {
    "swap/SwapPool.sol": {
      "if (msg.sender != quote.trader) revert NotTheTrader(quote.trader);": "",
      "if (block.timestamp >= order.deadline) revert DeadlinePassed(order.deadline);": "",
      "if (block.timestamp >= quote.expiresAt) revert QuoteExpired(quote.expiresAt);": "",
      "order.recipient == address(0) || order.recipient == address(this)": "false",
      "if (isUsed[quote.quoteId]) revert QuoteUsed(quote.quoteId);": "",
      "isUsed[quote.quoteId] = true;": "",
      "if (!SignatureChecker.isValidSignatureNow(quoter, digest, quoteSignature)) revert QuoteNotSigned();":
        "digest; quoteSignature;",
      "amountOut == 0 || amountOut < order.minAmountOut": "amountOut == 0",
      "amountOut == 0 || ": "",
      "_requireInventory(_otherToken(quote.tokenIn), amountOut);": "",
      "BASIS_POINTS - spreadBps": "BASIS_POINTS",
      "return tokenIn == eurc": "return tokenIn == usdc",
      "address(this), quote, order)": "address(this), quote)",
      "IERC20(quote.tokenIn).safeTransferFrom(msg.sender, address(this), quote.amountIn);": "",
      "Math.mulDiv(amountIn, rate * share, RATE_UNIT * BASIS_POINTS)":
        "Math.mulDiv(amountIn, rate * share, RATE_UNIT * BASIS_POINTS) + 1",
    },
    "swap/SwapLimits.sol": {
      "if (paused) revert Paused();": "",
      "rate < leastRate || ": "",
      " || rate > mostRate": "",
      "amountIn == 0 || ": "",
      " || amountIn > most": "",
      "amountOut > available": "amountOut >= available",
      "return balance > least ? balance - least : 0;": "return least == 0 ? 0 : balance;",
      "address to, uint256 amount) external onlyOwner": "address to, uint256 amount) external",
      "newSpreadBps > MOST_SPREAD_BPS || !isBand": "!isBand",
      "newLeastRate <= newMostRate": "true",
      "if (token != usdc && token != eurc) revert TokenNotSwapped(token);": "",
      "function setQuoter(address newQuoter) external onlyOwner": "function setQuoter(address newQuoter) external",
    },
  },
};

const calls: GuardGroup = {
  suites: ["WalletCalls", "SignedCalls"],
  guards: {
    "registries/WalletCalls.sol": {
      "if (msg.sender != _deployed) revert NotWalletCalls(msg.sender);": "",
      "if (address(this) != _deployed) revert NotDeployedHere(address(this));": "",
      " && signer == address(this)": "",
    },
    "registries/SignedCalls.sol": {
      "if (msg.sender != signedCall.relayer) revert NotRelayer(msg.sender);": "",
      "if (block.timestamp > signedCall.deadline) revert CallExpired(signedCall.deadline);": "",
      "isNonceUsed[signedCall.from][signedCall.nonce] = true;": "",
      "if (!_isTrustedBy(signedCall.to)) revert TargetNotAllowed(signedCall.to);": "",
    },
  },
};

export const guardGroups = [bridge, gateway, swap, calls];
