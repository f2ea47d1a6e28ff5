// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// The keys that attest messages, and how many of them must sign each. A signature is over the hash of the message alone,
/// without a prefix. The signatures of an attestation stand in ascending order of their signers, so none counts twice.
abstract contract AttestableV2 is Ownable2Step {
    uint256 private constant SIGNATURE_LENGTH = 65;

    uint256 public signatureThreshold;
    address public attesterManager;
    address[] private _attesters;
    /// One more than the attester's index in the list; zero is nobody's.
    mapping(address attester => uint256) private _places;

    event AttesterEnabled(address indexed attester);
    event AttesterDisabled(address indexed attester);
    event SignatureThresholdUpdated(uint256 oldSignatureThreshold, uint256 newSignatureThreshold);
    event AttesterManagerUpdated(address indexed previousAttesterManager, address indexed newAttesterManager);

    constructor(address manager, address[] memory attesters, uint256 threshold) {
        _setAttesterManager(manager);
        for (uint256 index = 0; index < attesters.length; index++) {
            _enableAttester(attesters[index]);
        }
        _setSignatureThreshold(threshold);
    }

    modifier onlyAttesterManager() {
        require(msg.sender == attesterManager, "Caller not attester manager");
        _;
    }

    function isEnabledAttester(address attester) public view returns (bool) {
        return _places[attester] != 0;
    }

    function getNumEnabledAttesters() public view returns (uint256) {
        return _attesters.length;
    }

    function getEnabledAttester(uint256 index) external view returns (address) {
        return _attesters[index];
    }

    function enableAttester(address newAttester) external onlyAttesterManager {
        _enableAttester(newAttester);
    }

    /// Leaves as many attesters as must sign, or no message could be delivered any more.
    function disableAttester(address attester) external onlyAttesterManager {
        uint256 number = getNumEnabledAttesters();
        require(number > 1, "Too few enabled attesters");
        require(number > signatureThreshold, "Signature threshold is too low");
        uint256 place = _places[attester];
        require(place != 0, "Attester already disabled");
        address last = _attesters[number - 1];
        _attesters[place - 1] = last;
        _places[last] = place;
        _attesters.pop();
        delete _places[attester];
        emit AttesterDisabled(attester);
    }

    function setSignatureThreshold(uint256 newSignatureThreshold) external onlyAttesterManager {
        _setSignatureThreshold(newSignatureThreshold);
    }

    function updateAttesterManager(address newAttesterManager) external onlyOwner {
        _setAttesterManager(newAttesterManager);
    }

    function _requireAttested(bytes calldata message, bytes calldata attestation) internal view {
        uint256 threshold = signatureThreshold;
        require(attestation.length == SIGNATURE_LENGTH * threshold, "Invalid attestation length");
        bytes32 digest = keccak256(message);
        address latest = address(0);
        for (uint256 start = 0; start < attestation.length; start += SIGNATURE_LENGTH) {
            address attester = ECDSA.recoverCalldata(digest, attestation[start:start + SIGNATURE_LENGTH]);
            require(attester > latest, "Invalid signature order or dupe");
            require(isEnabledAttester(attester), "Invalid signature: not attester");
            latest = attester;
        }
    }

    function _enableAttester(address newAttester) private {
        require(newAttester != address(0), "New attester must be nonzero");
        require(_places[newAttester] == 0, "Attester already enabled");
        _attesters.push(newAttester);
        _places[newAttester] = _attesters.length;
        emit AttesterEnabled(newAttester);
    }

    function _setSignatureThreshold(uint256 newSignatureThreshold) private {
        require(newSignatureThreshold != 0, "Invalid signature threshold");
        require(newSignatureThreshold <= getNumEnabledAttesters(), "New signature threshold too high");
        require(newSignatureThreshold != signatureThreshold, "Signature threshold already set");
        emit SignatureThresholdUpdated(signatureThreshold, newSignatureThreshold);
        signatureThreshold = newSignatureThreshold;
    }

    function _setAttesterManager(address newAttesterManager) private {
        require(newAttesterManager != address(0), "Invalid attester manager address");
        emit AttesterManagerUpdated(attesterManager, newAttesterManager);
        attesterManager = newAttesterManager;
    }
}
