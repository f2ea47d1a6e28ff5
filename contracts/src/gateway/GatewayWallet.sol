// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {PaddedAddress} from "../bridge/PaddedAddress.sol";
import {GatewayBalances} from "./GatewayBalances.sol";
import {GatewayCommon} from "./GatewayCommon.sol";
import {TransferPayloads} from "./TransferPayloads.sol";
import {TransferSpec} from "./TransferSpecs.sol";

interface IBurnableToken {
    function burn(uint256 amount) external;
}

/// Holds the deposits of one chain of a unified balance, and burns what depositors signed away once the operator has
/// attested it for another chain. It has the surface of Circle's GatewayWallet; contracts/README.md lists where it
/// differs.
contract GatewayWallet is GatewayBalances {
    using SafeERC20 for IERC20;
    using PaddedAddress for bytes32;

    struct Burn {
        address token;
        address signer;
        uint256 value;
        uint256 fee;
    }

    /// Of EIP712Domain(string name,string version): neither chain nor contract, which the signed terms name themselves.
    bytes32 public constant domainSeparator = keccak256(
        abi.encode(keccak256("EIP712Domain(string name,string version)"), keccak256("GatewayWallet"), keccak256("1"))
    );

    address public feeRecipient;
    mapping(address signer => bool) public isBurnSigner;

    event GatewayBurned(
        address indexed token,
        address indexed depositor,
        bytes32 indexed transferSpecHash,
        uint32 destinationDomain,
        bytes32 destinationRecipient,
        address signer,
        uint256 value,
        uint256 fee,
        uint256 fromAvailable,
        uint256 fromWithdrawing
    );
    /// Some of what was attested is not there any more. What is there is burned.
    event InsufficientBalance(
        address indexed token,
        address indexed depositor,
        uint256 value,
        uint256 availableBalance,
        uint256 withdrawingBalance
    );
    event BurnSignerAdded(address indexed signer);
    event BurnSignerRemoved(address indexed signer);
    event FeeRecipientChanged(address indexed oldFeeRecipient, address indexed newFeeRecipient);

    error MustHaveAtLeastOneBurnIntent();
    error MismatchedBurn();
    error NotAllSameToken();
    error InvalidBurnSigner();
    error NoRelevantBurnIntents();
    error IntentValueMustBePositiveAtIndex(uint32 index);
    error IntentExpiredAtIndex(uint32 index, uint256 maxBlockHeight, uint256 currentBlock);
    error BurnFeeTooHighAtIndex(uint32 index, uint256 maxFee, uint256 actualFee);
    error InvalidIntentSourceContractAtIndex(uint32 index, address intentContract, address expectedContract);
    error UnsupportedTokenAtIndex(uint32 index, address sourceToken);
    error InvalidIntentSourceSignerAtIndex(uint32 index, address intentSigner, address actualSigner);

    constructor(
        address administrator,
        address[] memory supportedTokens,
        uint32 domain_,
        uint256 withdrawalDelay_,
        address burnSigner,
        address feeRecipient_
    ) GatewayCommon(administrator, supportedTokens, domain_) GatewayBalances(withdrawalDelay_) {
        _addBurnSigner(burnSigner);
        _updateFeeRecipient(feeRecipient_);
    }

    /// `calldataBytes` is abi.encode(bytes[] intents, bytes[] signatures, uint256[][] fees), and `signature` that of a burn
    /// signer over it, with the prefix of signed messages.
    function gatewayBurn(bytes calldata calldataBytes, bytes calldata signature) external whenNotPaused {
        bytes32 digest = MessageHashUtils.toEthSignedMessageHash(keccak256(calldataBytes));
        if (!isBurnSigner[ECDSA.recoverCalldata(digest, signature)]) revert InvalidBurnSigner();
        (bytes[] memory intents, bytes[] memory signatures, uint256[][] memory fees) =
            abi.decode(calldataBytes, (bytes[], bytes[], uint256[][]));
        if (intents.length == 0) revert MustHaveAtLeastOneBurnIntent();
        if (signatures.length != intents.length || fees.length != intents.length) revert MismatchedBurn();
        for (uint256 index = 0; index < intents.length; index++) {
            _burnPayload(intents[index], signatures[index], fees[index]);
        }
    }

    /// The EIP-712 hash of a burn intent or a set of them, without the domain.
    function getTypedDataHash(bytes calldata intent) external pure returns (bytes32 structHash) {
        (, structHash) = TransferPayloads.decodeBurnIntents(intent);
    }

    function addBurnSigner(address signer) external onlyOwner {
        _addBurnSigner(signer);
    }

    function removeBurnSigner(address signer) external onlyOwner {
        isBurnSigner[signer] = false;
        emit BurnSignerRemoved(signer);
    }

    function updateFeeRecipient(address newFeeRecipient) external onlyOwner {
        _updateFeeRecipient(newFeeRecipient);
    }

    /// One signature of a depositor or delegate, over one intent or a set. Those of other chains are left to those chains.
    function _burnPayload(bytes memory payload, bytes memory signature, uint256[] memory fees) private {
        (TransferPayloads.BurnIntent[] memory intents, bytes32 structHash) = TransferPayloads.decodeBurnIntents(payload);
        if (intents.length == 0) revert MustHaveAtLeastOneBurnIntent();
        if (fees.length != intents.length) revert MismatchedBurn();
        Burn memory burn;
        burn.signer = ECDSA.recover(MessageHashUtils.toTypedDataHash(domainSeparator, structHash), signature);
        for (uint32 index = 0; index < intents.length; index++) {
            _burnIntent(burn, intents[index], fees[index], index);
        }
        if (burn.value == 0) revert NoRelevantBurnIntents();
        if (burn.fee > 0) IERC20(burn.token).safeTransfer(feeRecipient, burn.fee);
        IBurnableToken(burn.token).burn(burn.value);
    }

    function _burnIntent(Burn memory burn, TransferPayloads.BurnIntent memory intent, uint256 fee, uint32 index)
        private
    {
        TransferSpec memory spec = intent.spec;
        // Also in those of other chains, so that a set fails everywhere or nowhere.
        if (spec.value == 0) revert IntentValueMustBePositiveAtIndex(index);
        if (spec.sourceDomain != domain) return;
        address token = _requireSpec(spec, burn.signer, index);
        if (intent.maxBlockHeight < block.number) {
            revert IntentExpiredAtIndex(index, intent.maxBlockHeight, block.number);
        }
        if (intent.maxFee < fee) revert BurnFeeTooHighAtIndex(index, intent.maxFee, fee);
        if (burn.token == address(0)) burn.token = token;
        if (burn.token != token) revert NotAllSameToken();
        _useTransferSpecHash(intent.specHash);
        (uint256 value, uint256 charged) = _deduct(token, spec, intent.specHash, burn.signer, fee);
        burn.value += value;
        burn.fee += charged;
    }

    function _requireSpec(TransferSpec memory spec, address signer, uint32 index) private view returns (address token) {
        address sourceContract = spec.sourceContract.unpad();
        if (sourceContract != address(this)) {
            revert InvalidIntentSourceContractAtIndex(index, sourceContract, address(this));
        }
        token = spec.sourceToken.unpad();
        if (!isTokenSupported[token]) revert UnsupportedTokenAtIndex(index, token);
        address sourceSigner = spec.sourceSigner.unpad();
        if (sourceSigner != signer) revert InvalidIntentSourceSignerAtIndex(index, sourceSigner, signer);
        _requireEverAuthorized(token, spec.sourceDepositor.unpad(), signer);
    }

    /// The value comes before the fee: what was minted on the other chain must be burned here.
    function _deduct(address token, TransferSpec memory spec, bytes32 specHash, address signer, uint256 fee)
        private
        returns (uint256 value, uint256 charged)
    {
        address depositor = spec.sourceDepositor.unpad();
        uint256 due = spec.value + fee;
        (uint256 fromAvailable, uint256 fromWithdrawing) = _reduce(token, depositor, due);
        uint256 deducted = fromAvailable + fromWithdrawing;
        if (deducted < due) emit InsufficientBalance(token, depositor, due, fromAvailable, fromWithdrawing);
        value = deducted < spec.value ? deducted : spec.value;
        charged = deducted - value;
        emit GatewayBurned(
            token,
            depositor,
            specHash,
            spec.destinationDomain,
            spec.destinationRecipient,
            signer,
            value,
            charged,
            fromAvailable,
            fromWithdrawing
        );
    }

    function _addBurnSigner(address signer) private {
        _requireAddress(signer);
        isBurnSigner[signer] = true;
        emit BurnSignerAdded(signer);
    }

    function _updateFeeRecipient(address newFeeRecipient) private {
        _requireAddress(newFeeRecipient);
        emit FeeRecipientChanged(feeRecipient, newFeeRecipient);
        feeRecipient = newFeeRecipient;
    }
}
